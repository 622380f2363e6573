import CLibcurl
private import GatewayLibC

/// The sockets that a loop waits for.
///
/// libcurl stops waiting for a connection after each request and waits for it again with the next request,
/// which would take two system calls per request. A connection that libcurl keeps open therefore remains
/// registered, and is removed when an event arrives for which nothing waits.
@safe
final class EpollSet {
    /// What happened on a socket.
    struct Event {
        let descriptor: Int32
        /// The pool that waits for it.
        let pool: Int
        let isReadable: Bool
        let isWritable: Bool
        let isBroken: Bool
    }

    /// A socket, distinguished from others with the same descriptor before or after it.
    struct Link: Hashable {
        fileprivate let descriptor: Int32
        fileprivate let number: UInt64
    }

    /// The two ends of a TCP connection.
    @unsafe struct Ends {
        /// The peer's address, as text.
        let peer: UnsafeMutablePointer<CChar>?
        let peerPort: Int32
        let localPort: Int32

        /// Both ports, 0 for a socket that has none.
        fileprivate var ports: UInt32 {
            unsafe UInt32(truncatingIfNeeded: localPort) << 16 | UInt32(truncatingIfNeeded: peerPort) & 0xFFFF
        }
    }

    private struct Socket {
        /// The events that the kernel watches; 0 if it is not registered.
        var registered: UInt32 = 0
        /// The events that libcurl waits for; 0 for none.
        var wanted: UInt32 = 0
        /// The pool that waits for it.
        var pool = 0
        /// Whether this library opened it and is notified when it is closed; only then may it remain registered.
        var isOurs = false
        /// The sequence number among the sockets that this library opened.
        var number: UInt64 = 0
        /// The number of consecutive events that were only for writing.
        var writableInARow = 0
        /// The handle that opened it and waits for the connection.
        var opener: EasyHandle?
        /// When the server will close it, if the server has announced that.
        var expiry = LoopClock.never
        /// The ports of its ends, once they have been read.
        var ports: UInt32 = 0
    }

    private static let capacity = 256
    private let epoll: Int32
    private let events: UnsafeMutablePointer<epoll_event>
    private var sockets: [Socket] = []
    private var openedCount: UInt64 = 0
    /// `nil` if no socket has rested yet.
    private var rest: WriteRest?
    /// The sockets by ports; several have the same ports if their addresses differ.
    private var byPorts: [UInt32: [Int32]] = [:]
    /// The sockets whose ports have not been read yet.
    private var unnamed: Set<Int32> = []

    /// `nil` if the system has no epoll descriptor left; `errno` is the reason.
    init?() {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { return nil }
        unsafe events = .allocate(capacity: Self.capacity)
    }

    deinit {
        unsafe events.deallocate()
        _ = close(epoll)
    }

    /// Registers a descriptor that is not libcurl's for reading; `false` if the system refuses.
    func watch(_ descriptor: Int32) -> Bool { control(EPOLL_CTL_ADD, descriptor, EPOLLIN.rawValue) }

    /// Called when a socket was opened.
    func didOpen(_ descriptor: Int32, by handle: EasyHandle? = nil) {
        grow(toHold: descriptor)
        openedCount &+= 1
        sockets[Int(descriptor)] = Socket(isOurs: true, number: openedCount, opener: handle)
        unnamed.insert(descriptor)
    }

    /// Called before a socket is closed. Returns the handle whose connection was not established.
    ///
    /// Why: closing alone does not end its events while a child process has a copy of the descriptor.
    @discardableResult
    func willClose(_ descriptor: Int32) -> EasyHandle? {
        guard descriptor >= 0, descriptor < sockets.count else { return nil }
        register(descriptor, 0)
        unnamed.remove(descriptor)
        let ports = sockets[Int(descriptor)].ports
        if ports != 0, var same = byPorts.removeValue(forKey: ports), same.count > 1 {
            same.removeAll { $0 == descriptor }
            byPorts[ports] = same
        }
        defer { sockets[Int(descriptor)] = Socket() }
        return sockets[Int(descriptor)].opener
    }

    /// libcurl waits for a socket to become readable, writable, both, or neither.
    func want(_ descriptor: Int32, of pool: Int, readable: Bool, writable: Bool) {
        guard descriptor >= 0 else { return }
        grow(toHold: descriptor)
        let mask = (readable ? EPOLLIN.rawValue : 0) | (writable ? EPOLLOUT.rawValue : 0)
        sockets[Int(descriptor)].wanted = mask
        sockets[Int(descriptor)].pool = pool
        if !sockets[Int(descriptor)].isOurs, sockets[Int(descriptor)].registered == 0 {
            // A socket that libcurl opened to wait for the resolver: child processes must not inherit it.
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
        register(descriptor, mask)
    }

    /// libcurl no longer waits for a socket.
    func unwant(_ descriptor: Int32) {
        guard descriptor >= 0, descriptor < sockets.count else { return }
        sockets[Int(descriptor)].wanted = 0
        // An idle connection is always writable and would cause endless events.
        if !sockets[Int(descriptor)].isOurs || sockets[Int(descriptor)].registered & EPOLLOUT.rawValue != 0 {
            register(descriptor, 0)
        }
    }

    /// Waits for events and returns their number. A negative timeout means no limit.
    func wait(nanoseconds: Int64) -> Int {
        guard var rest, !rest.isEmpty else { return poll(nanoseconds: nanoseconds) }
        let limit = rest.nanosecondsLeft(now: LoopClock.systemNow)
        let count = poll(nanoseconds: nanoseconds < 0 ? limit : min(nanoseconds, limit))
        for descriptor in rest.end(at: LoopClock.systemNow) {
            register(descriptor, sockets[Int(descriptor)].wanted)
        }
        self.rest = rest
        return count
    }

    /// The kernel's unit is milliseconds: the timeout is rounded up, and very long ones are shortened.
    private func poll(nanoseconds: Int64) -> Int {
        let milliseconds = nanoseconds < 0 ? -1 : (min(nanoseconds, 1_000_000_000_000) + 999_999) / 1_000_000
        return max(0, Int(unsafe epoll_wait(epoll, events, Int32(Self.capacity), Int32(milliseconds))))
    }

    /// Whether an event is ignored and its socket is not watched for some milliseconds, because it was only writable
    /// many times in a row. Why: libcurl waits for writability even if it has nothing to write, as in an HTTP/2 upload
    /// whose window is exhausted (curl #7821).
    func restsFromWriting(_ event: Event) -> Bool {
        let index = Int(event.descriptor)
        guard event.isWritable, !event.isReadable, !event.isBroken else {
            sockets[index].writableInARow = 0
            if event.isReadable { rest?.noteProgress() }
            return false
        }
        sockets[index].writableInARow += 1
        guard sockets[index].writableInARow > WriteRest.mostInARow else { return false }
        sockets[index].writableInARow = 0
        rest = rest ?? WriteRest()
        rest?.begin(event.descriptor, now: LoopClock.systemNow)
        register(event.descriptor, sockets[index].wanted & ~EPOLLOUT.rawValue)
        return true
    }

    /// Called when libcurl has read a part of a request body.
    func noteUpload() { rest?.noteProgress() }

    /// The sockets for which a pool waits.
    func wanted(of pool: Int) -> [Int32] {
        sockets.indices.filter { sockets[$0].wanted != 0 && sockets[$0].pool == pool }.map { Int32($0) }
    }

    /// The link of a socket that this library opened.
    func link(of descriptor: Int32) -> Link? {
        guard descriptor >= 0, descriptor < sockets.count, sockets[Int(descriptor)].isOurs else { return nil }
        return Link(descriptor: descriptor, number: sockets[Int(descriptor)].number)
    }

    /// Shuts a connection down if it is open and nothing waits for it.
    func shutDownIfUnused(_ link: Link) {
        let socket = sockets[Int(link.descriptor)]
        guard socket.isOurs, socket.number == link.number, socket.wanted == 0 else { return }
        shutDown(link.descriptor)
    }

    /// Returns the open socket of a connection with these ends.
    func socket(of ends: Ends) -> Int32? {
        guard let same = byPorts[unsafe ends.ports] else { return nil }
        return same.count == 1 ? same[0] : same.first { unsafe gateway_peer_is($0, ends.peer) != 0 }
    }

    /// Reads the ends of the connected sockets. Why: they can no longer be read after a connection was reset.
    func nameAll() {
        for descriptor in unnamed {
            var ports: UInt32 = 0
            guard unsafe gateway_tcp_ports(descriptor, &ports) != 0 else { continue }
            unnamed.remove(descriptor)
            sockets[Int(descriptor)].opener = nil
            guard ports != 0 else { continue }
            sockets[Int(descriptor)].ports = ports
            byPorts[ports, default: []].append(descriptor)
        }
    }

    /// Records when the server will close an idle connection.
    func expire(_ link: Link, at time: Int64) {
        guard sockets[Int(link.descriptor)].number == link.number else { return }
        sockets[Int(link.descriptor)].expiry = time
    }

    /// Whether the server may be about to close a connection. If not, the connection is used, and its idle time
    /// restarts.
    func hasExpired(_ descriptor: Int32, at now: Int64) -> Bool {
        guard sockets[Int(descriptor)].expiry > now else { return true }
        sockets[Int(descriptor)].expiry = LoopClock.never
        return false
    }

    /// Whether a socket has bytes to read, an end of file, or an error.
    func isReadable(_ descriptor: Int32) -> Bool {
        var byte: UInt8 = 0
        let count = unsafe recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
        return count >= 0 || errno != EAGAIN
    }

    /// Shuts down a connection, so that libcurl does not reuse it. Received bytes are discarded, because libcurl would
    /// consider a connection with unread bytes alive.
    func shutDown(_ descriptor: Int32) {
        _ = shutdown(descriptor, Int32(SHUT_RDWR))
        let discarding = Int32(MSG_DONTWAIT) | Int32(MSG_TRUNC)
        while recv(descriptor, nil, 1 << 20, discarding) > 0 {}
    }

    /// One of the events of the last ``wait(nanoseconds:)``; `nil` if nothing waits for it.
    func event(_ index: Int, except eventDescriptor: Int32) -> Event? {
        let raw = unsafe events[index]
        let descriptor = unsafe raw.data.fd
        var pool = 0
        if descriptor != eventDescriptor {
            guard descriptor < sockets.count else { return nil }
            if sockets[Int(descriptor)].wanted == 0 {
                register(descriptor, 0)
                return nil
            }
            pool = sockets[Int(descriptor)].pool
        }
        return unsafe Event(
            descriptor: descriptor, pool: pool, isReadable: raw.events & EPOLLIN.rawValue != 0,
            isWritable: raw.events & EPOLLOUT.rawValue != 0,
            isBroken: raw.events & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0)
    }

    /// Whether a socket that this library opened is connected.
    func isConnected(_ descriptor: Int32) -> Bool {
        guard descriptor >= 0, descriptor < sockets.count, sockets[Int(descriptor)].isOurs else {
            return false
        }
        var address = sockaddr()
        var length = socklen_t(MemoryLayout<sockaddr>.size)
        return unsafe getpeername(descriptor, &address, &length) == 0
    }

    /// The sockets that this library has opened.
    var open: Set<Int32> { Set(sockets.indices.filter { sockets[$0].isOurs }.map { Int32($0) }) }

    /// Those of them for which no pool waits.
    var unwanted: Set<Int32> { open.filter { sockets[Int($0)].wanted == 0 } }

    private func register(_ descriptor: Int32, _ mask: UInt32) {
        let registered = sockets[Int(descriptor)].registered
        guard registered != mask else { return }
        sockets[Int(descriptor)].registered = mask
        if mask == 0 {
            _ = control(EPOLL_CTL_DEL, descriptor, 0)
        } else if registered == 0 {
            if !control(EPOLL_CTL_ADD, descriptor, mask) { _ = control(EPOLL_CTL_MOD, descriptor, mask) }
        } else {
            if !control(EPOLL_CTL_MOD, descriptor, mask) { _ = control(EPOLL_CTL_ADD, descriptor, mask) }
        }
    }

    private func control(_ operation: Int32, _ descriptor: Int32, _ mask: UInt32) -> Bool {
        var event = unsafe epoll_event()
        unsafe event.events = mask
        unsafe event.data.fd = descriptor
        return unsafe epoll_ctl(epoll, operation, descriptor, &event) == 0
    }

    private func grow(toHold descriptor: Int32) {
        while sockets.count <= descriptor { sockets.append(Socket()) }
    }
}
