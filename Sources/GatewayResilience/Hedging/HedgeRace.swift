import GatewayCore
import Synchronization

/// The attempts of one call that may be hedged, each in a separate task.
///
/// The call returns with the first response, and the other attempt runs to its end in the background,
/// because its cancellation would close its HTTP/1.1 connection. It is bounded by the limits of attempts and
/// keeps its admission permit until it ends; its body is read only as far as needed to keep the connection.
/// It is not cancelled on HTTP/2 either, because this layer does not know the connection.
///
/// The hedge has no task-local values of the call: the delay passes in a task of the timer.
final class HedgeRace<Below: RequestEngine>: HedgeWaiter, RacingAttempt {
    typealias Outcome = Result<HTTPResponse, NetworkError>
    private typealias Side = HedgeRaceStateMachine.Side

    private struct State {
        var machine = HedgeRaceStateMachine()
        /// The continuation of the call, until there is an outcome.
        var caller: Caller?
        /// The place of the race in the timer.
        var place: HedgeTimer.Place?
        var isCancelled = false
        var first: Task<Void, Never>?
        var hedge: Task<Void, Never>?
        /// The number of attempts of each side.
        var firstAttempts = 1
        /// 1 or more once the hedge was sent.
        var hedgeAttempts = 0
        /// The outcome of the attempt that has failed.
        var failed: Outcome?
    }

    /// The steps to run outside the lock.
    private struct Decision {
        let outcome: Outcome
        /// The attempt with the outcome; `nil` without a hedge.
        let winner: HedgeOutcome?
        /// The outcome of the other attempt, if it has ended.
        let other: Outcome?
        let caller: Caller?
    }

    /// Unsafe, because a checked continuation needs an allocation. It is resumed once, by the code that removes it from
    /// the state.
    @safe
    private struct Caller: Sendable {
        private let continuation: UnsafeContinuation<Outcome, Never>

        init(_ continuation: UnsafeContinuation<Outcome, Never>) { unsafe self.continuation = continuation }

        func resume(_ outcome: Outcome) { unsafe continuation.resume(returning: outcome) }
    }

    private let below: Below
    private let request: HTTPRequest
    /// The context of the call.
    private let context: RequestContext
    private let hedging: Hedging
    private let candidate: Hedging.Candidate
    private let delay: Duration
    private let state = Locked(State())
    private let hasSentFirst = Atomic(false)
    private let hasAbandonedFirst = Atomic(false)
    fileprivate let hasAbandonedHedge = Atomic(false)

    init(
        _ below: Below, _ request: HTTPRequest, _ context: RequestContext, _ hedging: Hedging,
        _ candidate: Hedging.Candidate, delay: Duration
    ) {
        self.below = below
        self.request = request
        self.context = context
        self.hedging = hedging
        self.candidate = candidate
        self.delay = delay
    }

    /// Makes the attempts. They are cancelled with the task until one of them has the outcome of the call.
    func outcome() async -> Outcome {
        let outcome = await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { unsafe begin(Caller($0)) }
        } onCancel: {
            cancel()
        }
        ThreadSanitizer.acquired(self)
        return outcome
    }

    private func begin(_ caller: Caller) {
        let place = hedging.timer.schedule(self, at: candidate.begin.adding(delay))
        let isCancelled = state.withLock { state in
            state.caller = caller
            state.place = place
            return state.isCancelled
        }
        guard !isCancelled else {
            return ended(
                .first,
                .failure(
                    NetworkError(
                        .cancelled, "The task was cancelled before the request was sent.",
                        origin: request.origin)))
        }
        let task = Task.immediate { await self.run(.first) }
        keep(task, of: .first)
    }

    private func run(_ side: Side) async {
        // A shutdown waits for the end of an attempt that it ends.
        let attempts = context.reentry?.attempts
        let isCounted = attempts?.enter() ?? false
        defer { if isCounted { attempts?.leave() } }
        let outcome: Outcome
        do throws(NetworkError) {
            outcome = .success(try await below.send(request, context: context(of: side)))
        } catch {
            outcome = .failure(error)
        }
        ended(side, outcome)
    }

    private func context(of side: Side) -> RequestContext {
        var attempt = context
        switch side {
        case .first: attempt.racing = self
        case .hedge:
            attempt.racing = HedgeAttempt(race: self)
            attempt.attempt = AttemptInfo(number: hedgeNumber, reason: .hedge)
        }
        return attempt
    }

    private var hedgeNumber: Int { context.attempt.number.addingClamped(1) }

    /// Stores a task for the cancellation of the call, and cancels it if the call is already cancelled.
    private func keep(_ task: Task<Void, Never>, of side: Side) {
        let isCancelled = state.withLock { state in
            guard !state.machine.isDecided else { return false }
            switch side {
            case .first: state.first = task
            case .hedge: state.hedge = task
            }
            return state.isCancelled
        }
        if isCancelled { task.cancel() }
    }

    private func cancel() {
        let (first, hedge) = state.withLock { state -> (Task<Void, Never>?, Task<Void, Never>?) in
            guard !state.machine.isDecided else { return (nil, nil) }
            state.isCancelled = true
            return (state.first, state.hedge)
        }
        first?.cancel()
        hedge?.cancel()
    }

    // MARK: The first attempt, for its transport

    func begin() -> Bool {
        hasSentFirst.store(true, ordering: .relaxed)
        return true
    }

    var isAbandoned: Bool { hasAbandonedFirst.load(ordering: .relaxed) }

    // MARK: The hedge

    func delayHasPassed() {
        guard state.withLock({ $0.machine.canBeHedged }),
            context.deadline?.hasPassed(at: hedging.clock.time) != true
        else { return }
        // If the first attempt waits for anything but its response, a second one does not help: it would
        // wait too.
        guard hasSentFirst.load(ordering: .relaxed) else { return hedging.skip() }
        guard hedging.take(request, context) else { return }
        let isDue = state.withLock { state in
            state.machine.due()
        }
        guard isDue else { return hedging.giveBack(request) }
        keep(Task { await self.run(.hedge) }, of: .hedge)
    }

    /// Called before the hedge is sent, which is counted from now on. Returns `false` if the call no longer
    /// needs it.
    fileprivate func beginHedge() -> Bool {
        let mayBegin = state.withLock { state in
            guard !state.machine.isDecided, !state.isCancelled else { return false }
            state.hedgeAttempts = 1
            return true
        }
        guard mayBegin else { return false }
        hedging.countHedge()
        context.record(.hedged(after: delay), for: request)
        return true
    }

    // MARK: Ends

    private func ended(_ side: Side, _ outcome: Outcome) {
        if side == .first, case .success(let response) = outcome { hedging.record(response, to: candidate) }
        let (end, action, decision, place) = state.withLock {
            state -> (
                HedgeRaceStateMachine.End, HedgeRaceStateMachine.Action, Decision?, HedgeTimer.Place?
            ) in
            let end = side == .hedge && state.hedgeAttempts == 0 ? .dropped : outcome.end
            switch side {
            case .first: state.firstAttempts = outcome.attempts
            // It has a number.
            case .hedge where end != .dropped: state.hedgeAttempts = max(1, outcome.attempts)
            case .hedge: break
            }
            let action = state.machine.ended(side, end)
            var decision: Decision?
            switch action {
            case .discard: break
            case .wait: state.failed = outcome
            case .decide(let winner): decision = decide(for: winner, side, outcome, &state)
            }
            return (end, action, decision, side == .first ? state.place.take() : nil)
        }
        if end == .dropped { hedging.drop(request) }
        if let place { hedging.timer.remove(place) }
        if action == .discard { outcome.discard() }
        if let decision { finish(decision) }
    }

    private func finish(_ decision: Decision) {
        decision.other?.discard()
        if decision.winner == .hedge { hedging.countWin() }
        if let winner = decision.winner { context.record(.hedgeDecided(winner), for: request) }
        // The outcome is passed on after the events.
        ThreadSanitizer.released(self)
        decision.caller?.resume(decision.outcome)
    }

    /// Decides the outcome of the call after the outcome of one side.
    private func decide(
        for winner: Side, _ side: Side, _ outcome: Outcome, _ state: inout State
    ) -> Decision {
        let (earlier, caller) = (state.failed.take(), state.caller.take())
        (state.first, state.hedge) = (nil, nil)
        let own = winner == side ? outcome : earlier ?? outcome
        guard state.hedgeAttempts > 0 else {
            return Decision(outcome: own, winner: nil, other: nil, caller: caller)
        }
        let other = winner == side ? earlier : outcome
        let decided = own.counting(
            attempts: state.firstAttempts.addingClamped(state.hedgeAttempts), lastNumber: hedgeNumber,
            other: other)
        if earlier == nil {
            switch side {
            case .first: hasAbandonedHedge.store(true, ordering: .relaxed)
            case .hedge: hasAbandonedFirst.store(true, ordering: .relaxed)
            }
        }
        let brought: HedgeOutcome =
            state.machine.haveBothFailed ? .none : winner == .hedge ? .hedge : .first
        return Decision(outcome: decided, winner: brought, other: other, caller: caller)
    }
}

/// The hedge of a race, for its transport.
private final class HedgeAttempt<Below: RequestEngine>: RacingAttempt {
    private let race: HedgeRace<Below>

    init(race: HedgeRace<Below>) { self.race = race }

    func begin() -> Bool { race.beginHedge() }

    var isAbandoned: Bool { race.hasAbandonedHedge.load(ordering: .relaxed) }
}

extension Result<HTTPResponse, NetworkError> {
    fileprivate var end: HedgeRaceStateMachine.End {
        switch self {
        case .success(let response): response.isServerFailure ? .failure : .success
        case .failure: .error
        }
    }

    fileprivate var attempts: Int {
        switch self {
        case .success(let response): response.exchange.attempts
        case .failure(let error): error.attempts
        }
    }

    /// Discards the response, because no caller reads it.
    fileprivate func discard() {
        if case .success(let response) = self { response.body.discard() }
    }

    /// The outcome, adjusted for a call with two attempts.
    ///
    /// - Parameters:
    ///   - lastNumber: the number of the last attempt.
    ///   - other: the outcome of the other attempt, if it has ended.
    fileprivate func counting(attempts: Int, lastNumber: Int, other: Self?) -> Self {
        switch self {
        case .success(var response):
            response.exchange.attempts = attempts
            response.exchange.attemptNumber = lastNumber
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
