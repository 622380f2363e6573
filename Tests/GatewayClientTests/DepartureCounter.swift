import GatewayClient
import GatewayTesting

/// Counts the requests that are handed to a transport: by then they are stamped.
final class DepartureCounter: Transport {
    private struct State {
        var count = 0
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let transport: any Transport
    private let state = Locked(State())

    init(_ transport: any Transport) { self.transport = transport }

    var count: Int { state.withLock { $0.count } }

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        let ready = state.withLock { state in
            state.count += 1
            let count = state.count
            let ready = state.watchers.filter { $0.count <= count }.map(\.continuation)
            state.watchers.removeAll { $0.count <= count }
            return ready
        }
        for watcher in ready { watcher.resume() }
        return try await transport.send(request, context: context)
    }

    /// Returns when so many requests have departed.
    func reach(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }
}
