import GatewayCore
import GatewayTesting

/// A transport whose exchanges end when a test says so, or with the cancellation of their task.
final class HeldTransport: AbandoningTransport {
    typealias Outcome = Result<HTTPResponse, NetworkError>

    struct Exchange {
        let context: RequestContext
        fileprivate(set) var outcome: Outcome?
        fileprivate(set) var isCancelled = false
        fileprivate var waiter: CheckedContinuation<Outcome, Never>?
        /// What the exchange goes on for, after its caller was let go.
        fileprivate(set) var abandonment: Abandonment?
    }

    /// One exchange, for who lets its caller go.
    private final class Handle: AbandonableExchange {
        let transport: HeldTransport
        let index: Int

        init(_ transport: HeldTransport, _ index: Int) {
            self.transport = transport
            self.index = index
        }

        func abandon(_ abandonment: Abandonment) { transport.abandon(index, abandonment) }
    }

    let abandons: Bool
    private let origin: Origin
    private let state = Locked<[Exchange]>([])

    /// - Parameter abandons: whether its exchanges go on without their callers; otherwise the engine runs them in tasks.
    init(origin: Origin, abandons: Bool = true) {
        self.origin = origin
        self.abandons = abandons
    }

    /// The exchanges so far, in the order they began.
    var exchanges: [Exchange] { state.withLock { $0 } }
    /// The attempts so far.
    var attempts: [AttemptInfo] { exchanges.map(\.context.attempt) }

    func send(
        _ request: HTTPRequest, context: RequestContext
    ) async throws(NetworkError) -> HTTPResponse {
        let handle = state.withLock { exchanges in
            let handle = Handle(self, exchanges.count)
            // Before others see that it has begun.
            if abandons, context.isAbandonable { context.exchangeBegan(handle) }
            exchanges.append(Exchange(context: context))
            return handle
        }
        let outcome = await outcome(of: handle.index)
        if abandons, context.isAbandonable { context.exchangeEnded(handle) }
        return try outcome.get()
    }

    private func outcome(of index: Int) async -> Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let outcome = state.withLock { exchanges -> Outcome? in
                    if exchanges[index].abandonment != nil { return .failure(.abandoned(origin)) }
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

    private func abandon(_ index: Int, _ abandonment: Abandonment) {
        let waiter = state.withLock { exchanges -> CheckedContinuation<Outcome, Never>? in
            guard exchanges[index].outcome == nil else { return nil }
            exchanges[index].abandonment = abandonment
            defer { exchanges[index].waiter = nil }
            return exchanges[index].waiter
        }
        waiter?.resume(returning: .failure(.abandoned(origin)))
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
        ended?.abandonment?.ended(outcome)
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
