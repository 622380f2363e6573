import CLibcurl

#if canImport(Glibc)
    private import Glibc
#else
    private import Musl
#endif

/// The sockets that a loop waits for.
///
/// libcurl drops its interest in a connection after each request and takes it up again with the next: done by
/// the book this costs two system calls a request. Here a connection that libcurl keeps open stays registered,
/// and is taken out only when something happens on it that nobody waits for.
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

    /// A socket that is told from others that had or will have its number.
    struct Link: Hashable {
        fileprivate let descriptor: Int32
        fileprivate let number: UInt64
    }

    private struct Socket {
        /// What the kernel watches; 0 for nothing.
        var registered: UInt32 = 0
        /// What libcurl waits for; 0 for nothing.
        var wanted: UInt32 = 0
        /// The pool that waits for it.
        var pool = 0
        /// Whether we opened it and so learn of its closing; only then may it stay registered.
        var isOurs = false
        /// Which of the sockets it is that we opened.
        var number: UInt64 = 0
        /// How often in a row it was ready for writing and for nothing else.
        var writableInARow = 0
    }

    private static let capacity = 256
    private let epoll: Int32
    private let events: UnsafeMutablePointer<epoll_event>
    private var sockets: [Socket] = []
    private var wantedCount = 0
    private var openedCount: UInt64 = 0
    private var rest = WriteRest()

    /// Whether libcurl waits for any of them.
    var isWaitedFor: Bool { wantedCount > 0 }

    /// `nil` where the system gives no epoll descriptor; `errno` says why.
    init?() {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard epoll >= 0 else { return nil }
        unsafe events = .allocate(capacity: Self.capacity)
    }

    deinit {
        unsafe events.deallocate()
        _ = close(epoll)
    }

    /// Registers a descriptor for reading that is not libcurl's; `false` where the system refuses.
    func watch(_ descriptor: Int32) -> Bool { control(EPOLL_CTL_ADD, descriptor, EPOLLIN.rawValue) }

    /// A socket was opened.
    func didOpen(_ descriptor: Int32) {
        grow(toHold: descriptor)
        setWanted(descriptor, 0)
        openedCount &+= 1
        sockets[Int(descriptor)] = Socket(isOurs: true, number: openedCount)
    }

    /// A socket is about to be closed, which takes it out of the kernel's set as well.
    func willClose(_ descriptor: Int32) {
        guard descriptor >= 0, descriptor < sockets.count else { return }
        setWanted(descriptor, 0)
        sockets[Int(descriptor)] = Socket()
    }

    /// libcurl waits for a socket to become readable, writable, both, or neither.
    func want(_ descriptor: Int32, of pool: Int, readable: Bool, writable: Bool) {
        guard descriptor >= 0 else { return }
        grow(toHold: descriptor)
        let mask = (readable ? EPOLLIN.rawValue : 0) | (writable ? EPOLLOUT.rawValue : 0)
        setWanted(descriptor, mask)
        sockets[Int(descriptor)].pool = pool
        register(descriptor, mask)
    }

    /// libcurl no longer waits for a socket.
    func unwant(_ descriptor: Int32) {
        guard descriptor >= 0, descriptor < sockets.count else { return }
        setWanted(descriptor, 0)
        // Waiting to write would report a connection at rest for ever.
        if !sockets[Int(descriptor)].isOurs || sockets[Int(descriptor)].registered & EPOLLOUT.rawValue != 0 {
            register(descriptor, 0)
        }
    }

    /// Waits, and gives the number of events. A negative timeout waits for as long as it takes.
    func wait(nanoseconds: Int64) -> Int {
        guard !rest.isEmpty else {
            return max(0, Int(unsafe gateway_epoll_wait(epoll, events, Int32(Self.capacity), nanoseconds)))
        }
        let limit = rest.nanosecondsLeft(now: LoopClock.now)
        let shorter = nanoseconds < 0 ? limit : min(nanoseconds, limit)
        let count = max(0, Int(unsafe gateway_epoll_wait(epoll, events, Int32(Self.capacity), shorter)))
        for descriptor in rest.end(at: LoopClock.now) {
            register(descriptor, sockets[Int(descriptor)].wanted)
        }
        return count
    }

    /// Whether an event is to be passed over and its socket left alone for some milliseconds, because it was ready for
    /// writing and nothing else again and again: libcurl waits for writing even where it has nothing to write, as in an
    /// HTTP/2 upload whose window is used up (curl #7821).
    func restsFromWriting(_ event: Event) -> Bool {
        let index = Int(event.descriptor)
        guard event.isWritable, !event.isReadable, !event.isBroken else {
            sockets[index].writableInARow = 0
            if event.isReadable { rest.noteProgress() }
            return false
        }
        sockets[index].writableInARow += 1
        guard sockets[index].writableInARow > WriteRest.mostInARow else { return false }
        sockets[index].writableInARow = 0
        rest.begin(event.descriptor, now: LoopClock.now)
        register(event.descriptor, sockets[index].wanted & ~EPOLLOUT.rawValue)
        return true
    }

    /// A body was read on: libcurl does write.
    func noteUpload() { rest.noteProgress() }

    /// The sockets for which a pool waits.
    func wanted(of pool: Int) -> [Int32] {
        sockets.indices.filter { sockets[$0].wanted != 0 && sockets[$0].pool == pool }.map { Int32($0) }
    }

    /// A socket that we opened.
    func link(of descriptor: Int32) -> Link? {
        guard descriptor >= 0, descriptor < sockets.count, sockets[Int(descriptor)].isOurs else { return nil }
        return Link(descriptor: descriptor, number: sockets[Int(descriptor)].number)
    }

    /// Ends a connection if it is still open and nobody waits for it; libcurl finds it dead when it next looks.
    func shutDownIfUnused(_ link: Link) {
        let socket = sockets[Int(link.descriptor)]
        guard socket.isOurs, socket.number == link.number, socket.wanted == 0 else { return }
        _ = shutdown(link.descriptor, Int32(SHUT_RDWR))
    }

    /// One of the events of the last ``wait(nanoseconds:)``; `nil` where nobody waits for it any more.
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

    /// Whether a socket of ours has reached the other side.
    func isConnected(_ descriptor: Int32) -> Bool {
        guard descriptor >= 0, descriptor < sockets.count, sockets[Int(descriptor)].isOurs else {
            return false
        }
        var address = sockaddr()
        var length = socklen_t(MemoryLayout<sockaddr>.size)
        return unsafe getpeername(descriptor, &address, &length) == 0
    }

    /// Ends the connections that nobody waits for; libcurl finds them dead when it next looks.
    ///
    /// - Parameter paused: sockets that carry something though nobody waits for them.
    func shutDownIdleSockets(except paused: Set<Int32>) {
        for descriptor in sockets.indices where sockets[descriptor].isOurs && sockets[descriptor].wanted == 0
        {
            guard !paused.contains(Int32(descriptor)) else { continue }
            _ = shutdown(Int32(descriptor), Int32(SHUT_RDWR))
        }
    }

    private func setWanted(_ descriptor: Int32, _ mask: UInt32) {
        let wanted = sockets[Int(descriptor)].wanted
        if (wanted == 0) != (mask == 0) { wantedCount += mask == 0 ? -1 : 1 }
        sockets[Int(descriptor)].wanted = mask
    }

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
