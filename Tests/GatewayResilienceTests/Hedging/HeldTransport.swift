import GatewayCore
import GatewayTesting

/// A transport whose exchanges end when a test says so, or with the cancellation of their task.
final class HeldTransport: Transport {
    typealias Outcome = Result<HTTPResponse, NetworkError>

    struct Exchange {
        let context: RequestContext
        fileprivate(set) var outcome: Outcome?
        fileprivate(set) var isCancelled = false
        fileprivate var waiter: CheckedContinuation<Outcome, Never>?
    }

    private let origin: Origin
    private let state = Locked<[Exchange]>([])

    init(origin: Origin) { self.origin = origin }

    /// The exchanges so far, in the order they began.
    var exchanges: [Exchange] { state.withLock { $0 } }
    /// The attempts so far.
    var attempts: [AttemptInfo] { exchanges.map(\.context.attempt) }

    func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        let index = state.withLock { exchanges in
            exchanges.append(Exchange(context: context))
            return exchanges.count - 1
        }
        return try await outcome(of: index).get()
    }

    private func outcome(of index: Int) async -> Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let outcome = state.withLock { exchanges -> Outcome? in
                    if exchanges[index].outcome == nil { exchanges[index].waiter = waiter }
                    return exchanges[index].outcome
                }
                if let outcome { waiter.resume(returning: outcome) }
            }
        } onCancel: {
            let error = NetworkError(
                .cancelled, "The task was cancelled.", attempts: 1, mayHaveBeenSent: true)
            if end(index, .failure(error)) { state.withLock { $0[index].isCancelled = true } }
        }
    }

    /// Ends an exchange; `false` if it has ended already.
    @discardableResult
    func end(_ index: Int, _ outcome: Outcome) -> Bool {
        let ended = state.withLock { exchanges -> Exchange? in
            guard exchanges[index].outcome == nil else { return nil }
            exchanges[index].outcome = outcome
            defer { exchanges[index].waiter = nil }
            return exchanges[index]
        }
        ended?.waiter?.resume(returning: outcome)
        return ended != nil
    }

    /// Ends an exchange with a response.
    @discardableResult
    func end(
        _ index: Int, status: Int, fields: HTTPFields = HTTPFields(), _ body: ResponseBody = .empty
    ) -> Bool {
        end(
            index,
            .success(
                HTTPResponse(
                    status: status, fields: fields, body: body,
                    exchange: GatewayCore.Exchange(origin: origin))))
    }

    /// Returns when so many exchanges have begun.
    func begun(_ count: Int) async -> Bool { await isEventually { self.exchanges.count >= count } }
}
