import CEpoll
import GatewayLibC

/// The descriptors that the proxy waits for, each with a token of its own.
struct Epoll: ~Copyable {
    /// What is waited for.
    struct Interest: OptionSet {
        let rawValue: UInt32
        static let readable = Interest(rawValue: EPOLLIN.rawValue)
        static let writable = Interest(rawValue: EPOLLOUT.rawValue)
        static let ended = Interest(rawValue: EPOLLRDHUP.rawValue)
    }

    struct Event {
        let token: UInt64
        let isReadable: Bool
        let isWritable: Bool
        /// The peer has ended its side; only if ``Interest/ended`` is waited for.
        let isEnded: Bool
        /// Both sides have ended, or the connection is broken.
        let isHungUp: Bool
        /// The connection is broken.
        let isBroken: Bool
    }

    private static let capacity = 256
    private let descriptor: Int32

    init() throws(SystemError) {
        descriptor = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard descriptor >= 0 else { throw SystemError("epoll cannot be used") }
    }

    deinit { Sockets.close(descriptor) }

    /// Waits for events of a descriptor; errors are always reported.
    ///
    /// - Returns: false for a file, which has no events.
    @discardableResult
    func add(_ socket: Int32, _ token: UInt64, _ interest: Interest) -> Bool {
        control(EPOLL_CTL_ADD, socket, token, interest)
    }

    func change(_ socket: Int32, _ token: UInt64, _ interest: Interest) {
        control(EPOLL_CTL_MOD, socket, token, interest)
    }

    /// Reports nothing of a descriptor any more, not even errors.
    func remove(_ socket: Int32) { control(EPOLL_CTL_DEL, socket, 0, []) }

    /// Waits until something happens.
    ///
    /// - Parameter milliseconds: at most so long; negative for no limit.
    func wait(milliseconds: Int32) -> [Event] {
        var events = unsafe [epoll_event](repeating: epoll_event(), count: Self.capacity)
        let count = unsafe epoll_wait(descriptor, &events, Int32(Self.capacity), milliseconds)
        guard count > 0 else { return [] }
        return unsafe events[..<Int(count)].map { event in
            let mask = unsafe event.events
            return unsafe Event(
                token: event.data.u64, isReadable: mask & EPOLLIN.rawValue != 0,
                isWritable: mask & EPOLLOUT.rawValue != 0, isEnded: mask & EPOLLRDHUP.rawValue != 0,
                isHungUp: mask & EPOLLHUP.rawValue != 0,
                isBroken: mask & EPOLLERR.rawValue != 0)
        }
    }

    @discardableResult
    private func control(
        _ operation: Int32, _ socket: Int32, _ token: UInt64, _ interest: Interest
    ) -> Bool {
        var event = unsafe epoll_event()
        unsafe event.events = interest.rawValue
        unsafe event.data.u64 = token
        return unsafe epoll_ctl(descriptor, operation, socket, &event) == 0
    }
}
