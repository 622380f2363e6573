import GatewayCore
private import GatewayLibC

/// The open connections.
final class Connections: Sendable {
    private struct State {
        var opened: UInt64 = 0
        var peak = 0
        var descriptors: [UInt64: Int32] = [:]
        /// Those that are not replaced.
        var held: Set<UInt64> = []
        /// Since when those without a complete header of a request have none.
        var headless: [UInt64: ContinuousClock.Instant] = [:]
        var nextCheck: ContinuousClock.Instant?
    }

    private let state = Locked(State())
    /// The buffer of the system for what a client has not read; `nil` for the system's choice.
    private let sendBufferBytes: Int?
    private let idleLimit: Duration?
    private let clock: any GatewayClock

    init(_ configuration: HTTPListener.Configuration) {
        sendBufferBytes = configuration.sendBufferBytes
        idleLimit = configuration.idleLimit
        clock = configuration.clock
    }

    /// The total number of connections, the number of open ones, and the maximum number of simultaneous ones.
    var counts: (opened: Int, open: Int, peak: Int) {
        state.withLock { (Int($0.opened), $0.descriptors.count, $0.peak) }
    }

    /// Adds a connection and returns its number, from 1.
    func open(_ descriptor: Int32) -> UInt64 {
        if let sendBufferBytes {
            var size = Int32(clamping: sendBufferBytes)
            _ = unsafe setsockopt(
                descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        let now = clock.now
        return state.withLock { state in
            state.opened += 1
            state.headless[state.opened] = now
            state.descriptors[state.opened] = descriptor
            state.peak = max(state.peak, state.descriptors.count)
            return state.opened
        }
    }

    /// Removes a connection. Its socket must be closed after that, not before.
    func close(_ id: UInt64) {
        state.withLock { state in
            state.descriptors[id] = nil
            state.held.remove(id)
            state.headless[id] = nil
        }
    }

    /// A request begins to wait for its header, or has it.
    func note(_ id: UInt64, hasHeader: Bool) {
        let since = hasHeader ? nil : clock.now
        state.withLock { state in
            if state.descriptors[id] != nil { state.headless[id] = since }
        }
    }

    /// Shuts down the connections that have waited for the header of a request longer than the idle limit: one that gets a byte
    /// now and then is not idle. A connection without any byte is left to libmicrohttpd. Called often; it looks once a second.
    func closeHeadless() {
        guard let idleLimit else { return }
        let now = clock.now
        state.withLock { state in
            guard state.nextCheck.map({ $0 <= now }) ?? true else { return }
            state.nextCheck = now.adding(.seconds(1))
            for (id, since) in state.headless where since.duration(to: now) > idleLimit {
                guard let descriptor = state.descriptors[id] else { continue }
                _ = shutdown(descriptor, Int32(SHUT_RDWR))
            }
        }
    }

    /// Whether a connection may not be replaced.
    func hold(_ id: UInt64, _ isHeld: Bool) {
        state.withLock { state in
            if isHeld { state.held.insert(id) } else { state.held.remove(id) }
        }
    }

    /// Shuts down the oldest connection that is not held, if there are so many.
    ///
    /// - Returns: whether there was one.
    func makeRoom(limit: Int) -> Bool {
        state.withLock { state in
            guard state.descriptors.count >= limit,
                let oldest = state.descriptors.keys.filter({ !state.held.contains($0) }).min(),
                let descriptor = state.descriptors[oldest]
            else { return false }
            return shutdown(descriptor, Int32(SHUT_RDWR)) == 0
        }
    }

    /// Resets a connection: dissolving the association makes the system send RST (connect(2), AF_UNSPEC).
    func reset(_ id: UInt64) {
        state.withLock { state in
            guard let descriptor = state.descriptors[id] else { return }
            var nowhere = sockaddr()
            nowhere.sa_family = sa_family_t(AF_UNSPEC)
            _ = unsafe connect(descriptor, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
        }
    }

    /// Shuts down all connections, also inside of a response.
    func cutAll() {
        state.withLock { state in
            for descriptor in state.descriptors.values { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }
}
