import GatewayClient

/// Counts the requests that are handed to a transport, by when they carry their token, and can hold them there.
final class Departures: Transport {
    private struct State {
        var count = 0
        var isClosed = false
        var held: [CheckedContinuation<Void, Never>] = []
        var watcher: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    }

    private let transport: CurlTransport
    private let state = Locked(State())

    init(_ transport: CurlTransport) { self.transport = transport }

    var count: Int { state.withLock { $0.count } }

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        await depart()
        return try await transport.send(request, context: context)
    }

    func dropIdleConnections() { transport.dropIdleConnections() }

    /// Holds from now on what comes.
    func close() { state.withLock { $0.isClosed = true } }

    /// Lets go all that is held, and holds nothing any more.
    func open() {
        let held = state.withLock { state in
            state.isClosed = false
            defer { state.held = [] }
            return state.held
        }
        for continuation in held { continuation.resume() }
    }

    /// Returns when so many requests are held. One waits at a time.
    func holdsAll(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.held.count >= count { return true }
                state.watcher = (count, continuation)
                return false
            }
            if isReached { continuation.resume() }
        }
    }

    private func depart() async {
        let isClosed = state.withLock { state in
            state.count += 1
            return state.isClosed
        }
        guard isClosed else { return }
        await withCheckedContinuation { continuation in
            let (goesOn, watcher) = state.withLock { state in
                guard state.isClosed else { return (true, CheckedContinuation<Void, Never>?.none) }
                state.held.append(continuation)
                guard let watcher = state.watcher, watcher.count <= state.held.count else {
                    return (false, nil)
                }
                state.watcher = nil
                return (false, watcher.continuation)
            }
            if goesOn { continuation.resume() }
            watcher?.resume()
        }
    }
}
