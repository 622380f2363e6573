import CNetlink
internal import GatewayCore
private import GatewayLibC

/// Tells whether an origin accepts a connection.
protocol OriginConnecting: Sendable {
    /// Connects and closes the connection at once. `false` when the time is over; `nil` if it cannot be told.
    func canConnect(to origin: Origin, within limit: Duration) async -> Bool?
}

/// Connects over TCP. Names are resolved by the system, which blocks: on a thread of its own for each origin, never on one
/// of Swift's pool.
final class SocketConnector: OriginConnecting {
    private let clock: any GatewayClock
    private let prepareThread: (@Sendable () -> Bool)?
    /// The threads at work. They outlive their time if a resolver does not answer.
    private let threads = Locked<[Origin: Int]>([:])
    private static let threadsPerOrigin = 4

    /// - Parameter prepareThread: called on each thread before anything else; `false` if it cannot connect. Tests enter a
    ///   namespace by it.
    init(clock: any GatewayClock, prepareThread: (@Sendable () -> Bool)? = nil) {
        self.clock = clock
        self.prepareThread = prepareThread
    }

    func canConnect(to origin: Origin, within limit: Duration) async -> Bool? {
        let isFree = threads.withLock { threads in
            guard threads[origin, default: 0] < Self.threadsPerOrigin else { return false }
            threads[origin, default: 0] += 1
            return true
        }
        guard isFree else { return nil }
        let answer = Answer()
        let isStarted = BlockingThread.start { [weak self, prepareThread] in
            let isReady = prepareThread?() ?? true
            let isConnected = isReady && Self.connects(to: origin, within: limit)
            self?.leave(origin)
            answer.settle(isConnected)
        }
        guard isStarted else {
            leave(origin)
            return nil
        }
        let alarm = clock.alarm(at: clock.now.adding(limit)) { answer.settle(false) }
        defer { alarm.cancel() }
        return await withTaskCancellationHandler {
            await answer.value()
        } onCancel: {
            answer.settle(false)
        }
    }

    private func leave(_ origin: Origin) { threads.withLock { $0[origin, default: 1] -= 1 } }

    /// The first answer counts.
    private final class Answer: Sendable {
        private let stream: AsyncStream<Bool>
        private let continuation: AsyncStream<Bool>.Continuation

        init() { (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1)) }

        func settle(_ value: Bool) {
            continuation.yield(value)
            continuation.finish()
        }

        func value() async -> Bool { await stream.first { _ in true } ?? false }
    }

    // MARK: Sockets

    private static func connects(to origin: Origin, within limit: Duration) -> Bool {
        let end = ContinuousClock.now.adding(limit)
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_family = AF_UNSPEC
        var host = origin.host
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, "\(origin.port)", &hints, &list) == 0 else { return false }
        defer { unsafe freeaddrinfo(list) }
        var next = unsafe list
        while let entry = unsafe next {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { return false }
            // An address that does not answer leaves time for the next one.
            let share = unsafe entry.pointee.ai_next == nil ? left : left / 2
            if unsafe connects(entry.pointee, within: share) { return true }
            unsafe next = entry.pointee.ai_next
        }
        return false
    }

    private static func connects(_ address: addrinfo, within limit: Duration) -> Bool {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = unsafe socket(address.ai_family, type, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        if unsafe connect(descriptor, address.ai_addr, address.ai_addrlen) == 0 { return true }
        guard errno == EINPROGRESS else { return false }
        let end = ContinuousClock.now.adding(limit)
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let left = ContinuousClock.now.duration(to: end)
            guard left > .zero else { return false }
            let count = unsafe poll(&entry, 1, left.pollMilliseconds)
            if count > 0 { break }
            guard count == 0 || errno == EINTR else { return false }
        }
        var (code, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        return unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0 && code == 0
    }
}
