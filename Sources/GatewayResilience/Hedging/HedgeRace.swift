import GatewayCore

/// The two attempts of one call that is hedged. It is made when the delay has passed.
///
/// The first attempt runs in the task of the call, the hedge in a task of its own. The call returns with the first response,
/// and the other attempt runs to its end in the background: to cancel it would close its HTTP/1.1 connection. A first
/// attempt that has lost is abandoned: its transport lets the call go, and goes on with the exchange. What has lost is
/// bounded by the limits of attempts, keeps its admission permit until it ends, and its body is not read beyond what keeps
/// the connection. It is not cancelled on HTTP/2 either: the layer does not know the connection.
///
/// The hedge has no task-local values of the call: the delay passes in a task of the timer.
final class HedgeRace: HedgeWaiter {
    typealias Outcome = Result<HTTPResponse, NetworkError>
    private typealias Side = HedgeRaceStateMachine.Side

    private struct State {
        var machine = HedgeRaceStateMachine()
        /// Waits for the hedge, after the first attempt has failed.
        var waiter: CheckedContinuation<Outcome, Never>?
        var isCancelled = false
        var hedge: Task<Void, Never>?
        /// The attempts of each side.
        var firstAttempts = 1
        var hedgeAttempts = 0
        /// The context of the hedge, once it was sent.
        var hedgeContext: RequestContext?
        /// The outcome of the attempt that has failed.
        var failed: Outcome?
        /// The outcome of the call, when the hedge has brought it.
        var decided: Outcome?
    }

    /// What is to be done without the lock.
    private struct Decision {
        let outcome: Outcome
        /// Which attempt brought it; `nil` without a hedge.
        let winner: HedgeOutcome?
        /// The context of the attempt that goes on without the call.
        let abandoned: RequestContext?
        /// The outcome of the other attempt.
        let other: Outcome?
    }

    private let call: HedgedCall
    private let state = Locked(State())

    init(_ call: HedgedCall) { self.call = call }

    // MARK: The hedge

    func delayHasPassed() {
        let (context, hedging) = (call.context, call.hedging)
        guard state.withLock({ $0.machine.canBeHedged }),
            context.deadline?.hasPassed(at: hedging.clock.now) != true
        else { return }
        // An attempt that waits for anything but its response is not helped by a second one, which would wait as well.
        guard context.isExchanging else { return hedging.skip() }
        guard hedging.take(call.request, context) else { return }
        var hedgeContext = context.separated()
        hedgeContext.attempt = AttemptInfo(
            number: context.attempt.number.addingClamped(1), reason: .hedge)
        let isSent = state.withLock { [hedgeContext] state in
            guard state.machine.due() else { return false }
            state.hedgeAttempts = 1
            state.hedgeContext = hedgeContext
            return true
        }
        guard isSent else { return hedging.giveBack(call.request) }
        hedging.countHedge()
        context.record(.hedged(after: call.delay), for: call.request)
        let task = Task { [hedgeContext] in await sendHedge(hedgeContext) }
        let isCancelled = state.withLock { state in
            state.hedge = task
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    private func sendHedge(_ context: RequestContext) async {
        let outcome: Outcome
        do throws(NetworkError) {
            outcome = .success(try await call.below.send(call.request, context: context))
        } catch {
            outcome = .failure(error)
        }
        hedgeEnded(outcome)
    }

    private func hedgeEnded(_ outcome: Outcome) {
        let end = outcome.end(isHedge: true)
        if end == .dropped { call.hedging.drop(call.request) }
        let (action, decision) = state.withLock { state -> (HedgeRaceStateMachine.Action, Decision?) in
            state.hedgeAttempts = end == .dropped ? 0 : outcome.attempts
            let action = state.machine.ended(.hedge, end)
            switch action {
            case .discard: break
            case .wait: state.failed = outcome
            case .decide(let winner): return (action, decide(for: winner, .hedge, outcome, &state))
            }
            return (action, nil)
        }
        if action == .discard { outcome.discard() }
        guard let decision else { return }
        report(decision)
        // The call has its outcome after the events.
        let waiter = state.withLock { state in
            state.decided = decision.outcome
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: decision.outcome)
        decision.abandoned?.abandon()
    }

    // MARK: The first attempt

    /// The first attempt has ended, or was abandoned. Returns the outcome of the call, which may be that of the hedge.
    func outcome(ofFirst outcome: Outcome) async -> Outcome {
        if case .failure(let error) = outcome, error.code == .abandoned {
            return state.withLock { $0.decided } ?? outcome
        }
        let end = outcome.end(isHedge: false)
        let (action, decision) = state.withLock { state in
            state.firstAttempts = outcome.attempts
            let action = state.machine.ended(.first, end)
            var decision: Decision?
            switch action {
            case .wait: state.failed = outcome
            case .discard: break
            case .decide(let winner): decision = decide(for: winner, .first, outcome, &state)
            }
            return (action, decision)
        }
        switch action {
        case .discard:
            outcome.discard()
            return await hedgeOutcome()
        case .wait: return await hedgeOutcome()
        case .decide:
            guard let decision else { return outcome }
            report(decision)
            decision.abandoned?.abandon()
            return decision.outcome
        }
    }

    /// Waits for the hedge, which is cancelled with the task.
    private func hedgeOutcome() async -> Outcome {
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let decided = state.withLock { state -> Outcome? in
                    if state.decided == nil { state.waiter = waiter }
                    return state.decided
                }
                if let decided { waiter.resume(returning: decided) }
            }
        } onCancel: {
            let hedge = state.withLock { state in
                state.isCancelled = true
                return state.machine.isDecided ? nil : state.hedge
            }
            hedge?.cancel()
        }
    }

    // MARK: Decisions

    private func report(_ decision: Decision) {
        decision.other?.discard()
        if decision.winner == .hedge { call.hedging.countWin() }
        if let winner = decision.winner { call.context.record(.hedgeDecided(winner), for: call.request) }
    }

    /// The outcome of the call, when that of this side has come.
    private func decide(
        for winner: Side, _ side: Side, _ outcome: Outcome, _ state: inout State
    ) -> Decision {
        let earlier = state.failed
        state.failed = nil
        guard let hedgeContext = state.hedgeContext else {
            return Decision(outcome: outcome, winner: nil, abandoned: nil, other: nil)
        }
        let other = winner == side ? earlier : outcome
        let decided = (winner == side ? outcome : earlier ?? outcome).counting(
            attempts: state.firstAttempts.addingClamped(state.hedgeAttempts),
            lastNumber: state.hedgeAttempts > 0 ? hedgeContext.attempt.number : nil, other: other)
        let isInProgress = earlier == nil && state.hedgeAttempts > 0
        return Decision(
            outcome: decided,
            winner: state.machine.haveBothFailed ? HedgeOutcome.none : winner == .hedge ? .hedge : .first,
            abandoned: isInProgress ? (side == .first ? hedgeContext : call.context) : nil, other: other)
    }
}

extension Result<HTTPResponse, NetworkError> {
    fileprivate func end(isHedge: Bool) -> HedgeRaceStateMachine.End {
        switch self {
        case .success(let response): response.isServerFailure ? .failure : .success
        case .failure(let error):
            isHedge && error.attempts == 0 && !error.mayHaveBeenSent ? .dropped : .error
        }
    }

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
