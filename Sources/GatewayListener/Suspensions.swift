internal import CLibmicrohttpd
import GatewayCore

/// The suspended requests. libmicrohttpd must not be stopped while a request is suspended, so this lock serializes
/// suspending, resuming and stopping. The locks of libmicrohttpd and of the queues are acquired inside of this lock,
/// never the other way round.
final class Suspensions: Sendable {
    private struct Waiting {
        let exchange: ServerExchange
        var task: Task<Void, Never>?
    }
    private struct State {
        var isStopping = false
        var nextID: UInt64 = 0
        var waiting: [UInt64: Waiting] = [:]
    }

    private let state = Locked(State())

    /// Suspends a request; `nil` if the server is stopping and the connection must be closed instead.
    func suspend(_ exchange: ServerExchange) -> HTTPListener.Resumption? {
        let id = state.withLock { state -> UInt64? in
            guard !state.isStopping else { return nil }
            state.nextID += 1
            state.waiting[state.nextID] = Waiting(exchange: exchange)
            unsafe MHD_suspend_connection(exchange.connection)
            return state.nextID
        }
        return id.map { HTTPListener.Resumption(suspensions: self, id: $0) }
    }

    func resume(_ id: UInt64, _ continuation: ServerExchange.Continuation) {
        state.withLock { state in
            guard let waiting = state.waiting.removeValue(forKey: id) else { return }
            waiting.exchange.continuation = continuation
            waiting.exchange.queue.resume(waiting.exchange)
        }
    }

    func cancelAtStop(_ id: UInt64, _ task: Task<Void, Never>) {
        let isOver = state.withLock { state in
            if state.waiting[id] != nil {
                state.waiting[id]?.task = task
                return false
            }
            return state.isStopping
        }
        if isOver { task.cancel() }
    }

    /// Prevents further suspensions, and continues all suspended requests, whose connections are then closed.
    func stop() {
        let tasks = state.withLock { state in
            state.isStopping = true
            for waiting in state.waiting.values {
                waiting.exchange.continuation = .stopped
                waiting.exchange.queue.resume(waiting.exchange)
            }
            defer { state.waiting = [:] }
            return state.waiting.values.compactMap(\.task)
        }
        for task in tasks { task.cancel() }
    }
}
