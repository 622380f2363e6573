/// An exchange in a task of its own, so that it can go on without its caller.
final class DetachedExchange: AbandonableExchange {
    private typealias Waiter = CheckedContinuation<Abandonment.Outcome, Never>

    private struct State {
        var waiter: Waiter?
        var task: Task<Void, Never>?
        var isCancelled = false
        var abandonment: Abandonment?
    }

    private let transport: any Transport
    private let request: HTTPRequest
    private let context: RequestContext
    private let state = Locked(State())

    init(_ transport: any Transport, _ request: HTTPRequest, _ context: RequestContext) {
        self.transport = transport
        self.request = request
        self.context = context
    }

    /// Makes the exchange. Its task is cancelled with that of the caller.
    func response() async throws(NetworkError) -> HTTPResponse {
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                state.withLock { $0.waiter = waiter }
                context.exchangeBegan(self)
                let task = Task { await self.run() }
                let isCancelled = state.withLock { state in
                    state.task = task
                    return state.isCancelled
                }
                if isCancelled { task.cancel() }
            }
        } onCancel: {
            let task = state.withLock { state -> Task<Void, Never>? in
                // Without a waiter, nobody waits who could be cancelled.
                guard state.abandonment == nil else { return nil }
                state.isCancelled = true
                return state.task
            }
            task?.cancel()
        }
        context.exchangeEnded(self)
        return try outcome.get()
    }

    private func run() async {
        let outcome: Abandonment.Outcome
        do throws(NetworkError) {
            outcome = .success(try await transport.send(request, context: context))
        } catch {
            outcome = .failure(error)
        }
        let (waiter, abandonment) = state.withLock { state in
            defer { state.waiter = nil }
            return (state.waiter, state.abandonment)
        }
        waiter?.resume(returning: outcome)
        abandonment?.ended(outcome)
    }

    func abandon(_ abandonment: Abandonment) {
        let waiter = state.withLock { state -> Waiter? in
            guard let waiter = state.waiter, !state.isCancelled else { return nil }
            state.waiter = nil
            state.abandonment = abandonment
            return waiter
        }
        waiter?.resume(returning: .failure(.abandoned(request.origin)))
    }
}
