import GatewayCore

/// The attempts of one call that may be hedged.
///
/// Each runs in a task of its own: the call returns with the first response, and the other attempt runs to its end in the
/// background. To cancel it would close its HTTP/1.1 connection. It is bounded by the limits of attempts, keeps its
/// admission permit until it ends, and its body is not read beyond what keeps the connection. It is not cancelled on HTTP/2
/// either: the layer does not know the connection.
///
/// The first attempt has the task-local values of the call. The hedge has none: the delay passes in a task of the timer.
final class HedgeRace<Below: RequestEngine>: HedgeWaiter {
    typealias Outcome = Result<HTTPResponse, NetworkError>
    private typealias Side = HedgeRaceStateMachine.Side

    private struct State {
        var machine = HedgeRaceStateMachine()
        var waiter: CheckedContinuation<Outcome, Never>?
        var isCancelled = false
        var first: Task<Void, Never>?
        var hedge: Task<Void, Never>?
        /// The attempts of each side.
        var firstAttempts = 1
        var hedgeAttempts = 0
        /// The context of the hedge, once it was sent.
        var hedgeContext: RequestContext?
        /// The outcome of the attempt that has failed.
        var failed: Outcome?
    }

    /// What is to be done without the lock.
    private struct Decision {
        let waiter: CheckedContinuation<Outcome, Never>?
        let outcome: Outcome
        /// Which attempt brought it; `nil` without a hedge.
        let winner: HedgeOutcome?
        /// The context of the attempt that goes on without the call.
        let abandoned: RequestContext?
        /// The outcome of the other attempt.
        let other: Outcome?
    }

    private let below: Below
    private let request: HTTPRequest
    private let context: RequestContext
    private let hedging: Hedging
    private let candidate: Hedging.Candidate
    private let delay: Duration
    private let state = Locked(State())

    init(
        _ below: Below, _ request: HTTPRequest, _ context: RequestContext, _ hedging: Hedging,
        _ candidate: Hedging.Candidate, delay: Duration
    ) {
        self.below = below
        self.request = request
        self.context = context.separated()
        self.hedging = hedging
        self.candidate = candidate
        self.delay = delay
    }

    /// Makes the call. Both attempts are cancelled with the task.
    func outcome() async -> Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                state.withLock { $0.waiter = waiter }
                let task = Task { await self.attempt(.first, self.context) }
                let isCancelled = state.withLock { state in
                    state.first = task
                    return state.isCancelled
                }
                if isCancelled { task.cancel() }
                hedging.timer.schedule(self, at: candidate.begin.adding(delay))
            }
        } onCancel: {
            cancel()
        }
    }

    private func cancel() {
        let tasks = state.withLock { state -> [Task<Void, Never>?] in
            guard !state.machine.isDecided else { return [] }
            state.isCancelled = true
            state.machine.cancel()
            return [state.first, state.hedge]
        }
        for task in tasks { task?.cancel() }
    }

    // MARK: The hedge

    func delayHasPassed() {
        guard state.withLock({ $0.machine.canBeHedged }),
            context.deadline?.hasPassed(at: hedging.clock.now) != true, hedging.take(request, context)
        else { return }
        var hedgeContext = context.separated()
        hedgeContext.attempt = AttemptInfo(
            number: context.attempt.number.addingClamped(1), reason: .hedge)
        let isSent = state.withLock { [hedgeContext] state in
            guard state.machine.due() else { return false }
            state.hedgeAttempts = 1
            state.hedgeContext = hedgeContext
            return true
        }
        guard isSent else { return hedging.giveBack(request) }
        hedging.countHedge()
        context.record(.hedged(after: delay), for: request)
        let task = Task { [hedgeContext] in await attempt(.hedge, hedgeContext) }
        let isCancelled = state.withLock { state in
            state.hedge = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    // MARK: Attempts

    private func attempt(_ side: Side, _ context: RequestContext) async {
        let outcome: Outcome
        do throws(NetworkError) {
            outcome = .success(try await below.send(request, context: context))
        } catch {
            outcome = .failure(error)
        }
        if side == .first, case .success(let response) = outcome {
            hedging.record(response, to: candidate)
        }
        ended(side, outcome)
    }

    private func ended(_ side: Side, _ outcome: Outcome) {
        let end = Self.end(side, outcome)
        if end == .dropped { hedging.drop(request) }
        let (decision, isDiscarded) = state.withLock { state -> (Decision?, Bool) in
            let attempts = end == .dropped ? 0 : outcome.attempts
            if side == .first { state.firstAttempts = attempts } else { state.hedgeAttempts = attempts }
            switch state.machine.ended(side, end) {
            case .discard: return (nil, true)
            case .wait:
                state.failed = outcome
                return (nil, false)
            case .decide(let winner): return (decide(for: winner, side, outcome, &state), false)
            }
        }
        if isDiscarded { outcome.discard() }
        guard let decision else { return }
        decision.other?.discard()
        decision.abandoned?.abandon()
        if decision.winner == .hedge { hedging.countWin() }
        if let winner = decision.winner { context.record(.hedgeDecided(winner), for: request) }
        decision.waiter?.resume(returning: decision.outcome)
    }

    private static func end(_ side: Side, _ outcome: Outcome) -> HedgeRaceStateMachine.End {
        switch outcome {
        case .success(let response): response.isServerFailure ? .failure : .success
        case .failure(let error):
            side == .hedge && error.attempts == 0 && !error.mayHaveBeenSent ? .dropped : .error
        }
    }

    /// The outcome of the call, when that of this side has come.
    private func decide(
        for winner: Side, _ side: Side, _ outcome: Outcome, _ state: inout State
    ) -> Decision {
        let earlier = state.failed
        let waiter = state.waiter
        (state.waiter, state.failed) = (nil, nil)
        guard let hedgeContext = state.hedgeContext else {
            return Decision(waiter: waiter, outcome: outcome, winner: nil, abandoned: nil, other: nil)
        }
        let other = winner == side ? earlier : outcome
        let decided = (winner == side ? outcome : earlier ?? outcome).counting(
            attempts: state.firstAttempts.addingClamped(state.hedgeAttempts),
            lastNumber: state.hedgeAttempts > 0 ? hedgeContext.attempt.number : nil, other: other)
        let isInProgress = earlier == nil && state.hedgeAttempts > 0
        return Decision(
            waiter: waiter, outcome: decided,
            winner: state.machine.haveBothFailed ? HedgeOutcome.none : winner == .hedge ? .hedge : .first,
            abandoned: isInProgress ? (side == .first ? hedgeContext : context) : nil, other: other)
    }
}

extension Result<HTTPResponse, NetworkError> {
    fileprivate var attempts: Int {
        switch self {
        case .success(let response): response.exchange.attempts
        case .failure(let error): error.attempts
        }
    }

    /// Nobody reads the response.
    fileprivate func discard() {
        if case .success(let response) = self { response.body.discard() }
    }

    /// The same outcome as that of a call with two attempts.
    ///
    /// - Parameters:
    ///   - lastNumber: the number of the last attempt, if there was a hedge.
    ///   - other: the outcome of the other attempt, if it has ended.
    fileprivate func counting(attempts: Int, lastNumber: Int?, other: Self?) -> Self {
        switch self {
        case .success(var response):
            response.exchange.attempts = attempts
            if let lastNumber { response.exchange.attemptNumber = lastNumber }
            return .success(response)
        case .failure(let error):
            let mayHaveBeenSent =
                switch other {
                case .success: true
                case .failure(let other): other.mayHaveBeenSent
                case nil: false
                }
            return .failure(
                error.with(attempts: attempts, mayHaveBeenSent: mayHaveBeenSent || error.mayHaveBeenSent))
        }
    }
}
