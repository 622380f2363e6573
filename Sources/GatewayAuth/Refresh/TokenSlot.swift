import GatewayCore

/// The token of one key. It drives a ``TokenSlotStateMachine``. Under the lock it only sends events to the state
/// machine; waiters are resumed, tasks started and events recorded outside of the lock.
///
/// Why the state machine has deadlines, too: which waiter is resumed, when, and with which result, depends on the
/// required generation and on the patience for an overdue flight. ``waiters`` stores and resumes them.
final class TokenSlot: Sendable {
    typealias Machine = TokenSlotStateMachine
    /// `nil`: the slot was retired; look up the key again.
    typealias Answer = Result<TokenLease?, NetworkError>
    typealias Waiters = SharedFlight<Answer>
    /// Callers that wait until everything is stored.
    typealias Storing = SharedFlight<Result<Void, NetworkError>>

    struct State {
        var machine: Machine
        var isRetired = false
        /// The slots with more scopes, which end with this slot's epoch.
        var wider: [TokenKey: TokenSlot] = [:]
        /// The changes that are not stored yet.
        var unsaved: Unsaved?
        var lastUnsaved: UInt64 = 0
        var account = Account()
        /// The callers that wait until everything is stored, if there are any.
        var storing: Storing?
    }

    let key: TokenKey
    let environment: TokenEnvironment
    let state: Locked<State>
    /// The callers that wait for a token. This flight itself never ends: each waiter is resumed individually, and may
    /// wait for several flights of the slot.
    let waiters: Waiters
    let waitingCalls = Locked(WaitingCalls())
    /// The token requests of the flight that was started last, until it has ended.
    let requests = Locked<Requests?>(nil)

    /// The token requests of a flight.
    struct Requests {
        let trace: RefreshTrace
        /// Ends with the flight.
        var ended: Task<Void, Never>?
    }

    /// - Parameter account: the account name; see ``TokenSlot/Account``.
    init(key: TokenKey, epoch: UInt64, environment: TokenEnvironment, account: String? = nil) {
        self.key = key
        self.environment = environment
        waiters = Waiters(clock: environment.clock)
        var state = State(
            machine: Machine(policy: environment.policy, epoch: epoch, isStored: environment.store != nil))
        state.account.name = account
        self.state = Locked(state)
    }

    var epoch: UInt64 { state.withLock { $0.machine.epoch } }
    var waiterCount: Int { state.withLock { $0.machine.waiterCount } }

    // MARK: Tokens

    /// The token, if it may be used for a request of this epoch, and the account of its login. Never waits.
    func peek(
        atLeast floor: UInt64, epoch: UInt64
    ) throws(NetworkError) -> (token: IssuedToken, account: String?)? {
        let now = environment.clock.now
        let (isCurrent, found) = state.withLock { state in
            (
                state.machine.epoch == epoch,
                state.machine.peek(atLeast: floor, now: now).map { ($0, state.account(in: self)) }
            )
        }
        guard isCurrent else { throw Machine.signedOut }
        return found
    }

    /// The result of ``peek(atLeast:epoch:)`` if ``isReady(atLeast:epoch:)``. Takes the lock once if the
    /// token need not be refreshed yet.
    func tokenIfReady(
        atLeast floor: UInt64, epoch: UInt64
    ) throws(NetworkError) -> (token: IssuedToken, account: String?)? {
        let now = environment.clock.now
        let found = state.withLock { state -> (token: IssuedToken, account: String?)? in
            guard !state.isRetired, state.machine.epoch == epoch,
                let token = state.machine.fresh(atLeast: floor, now: now)
            else { return nil }
            return (token, state.account(in: self))
        }
        if let found { return found }
        guard isReady(atLeast: floor, epoch: epoch) else { return nil }
        return try peek(atLeast: floor, epoch: epoch)
    }

    /// Whether the newest token that may be used ended by its own lifetime.
    func hasExpired(atLeast floor: UInt64, epoch: UInt64) -> Bool {
        let now = environment.clock.now
        return state.withLock { $0.machine.epoch == epoch && $0.machine.hasExpired(atLeast: floor, now: now) }
    }

    /// Whether the events of the slot are observed. Out of line, because the environment is large.
    @inline(never)
    var isObserved: Bool { environment.isObserved }

    /// Whether there is a usable token. Starts a refresh in the background if it expires soon.
    func isReady(atLeast floor: UInt64, epoch: UInt64) -> Bool {
        let now = environment.clock.now
        let isFresh = state.withLock { state in
            !state.isRetired && state.machine.epoch == epoch
                && state.machine.fresh(atLeast: floor, now: now) != nil
        }
        if isFresh { return true }
        if case .success = serve(atLeast: floor, epoch: epoch) { return true }
        return false
    }

    /// Returns a token, or waits for one flight that may provide it.
    ///
    /// - Parameters:
    ///   - floor: the minimum generation.
    ///   - epoch: the login of the caller; `nil` for the current one.
    ///   - deadline: when this caller stops waiting.
    ///   - patience: how long it waits for an overdue flight; `nil` does not wait.
    func tokenOfOneFlight(
        atLeast floor: UInt64, epoch: UInt64?, deadline: Deadline?, patience: ContinuousClock.Instant?
    ) async throws(NetworkError) -> TokenLease? {
        switch begin(atLeast: floor, epoch: epoch, deadline: deadline, patience: patience) {
        case .answer(let answer):
            if case .failure = answer { CredentialWait.current?.refuse() }
            return try answer.get()
        case .wait(let id):
            CredentialWait.current?.begin()
            return try end(id, with: await waiters.outcome(of: id))
        }
    }

    private enum Beginning {
        case answer(Answer)
        case wait(Machine.WaiterID)
    }

    // Out of line to keep the async frame of waiters small: thousands can wait at the same time.

    @inline(never)
    private func begin(
        atLeast floor: UInt64, epoch: UInt64?, deadline: Deadline?, patience: ContinuousClock.Instant?
    ) -> Beginning {
        if let answer = serve(atLeast: floor, epoch: epoch) { return .answer(answer) }
        if let deadline, deadline.hasPassed(at: environment.clock.time) {
            return .answer(.failure(Self.deadlinePassed))
        }
        let id = waiters.join()
        if let answer = enqueue(id, atLeast: floor, epoch: epoch, deadline: deadline, patience: patience) {
            waiters.leave(id)
            return .answer(answer)
        }
        return .wait(id)
    }

    @inline(never)
    private func end(
        _ id: Machine.WaiterID, with outcome: FlightOutcome<Answer>
    ) throws(NetworkError) -> TokenLease? {
        if case .value(.success(let lease)) = outcome { return lease }
        CredentialWait.current?.fail(waitingFor: requests.withLock { $0?.trace }?.span)
        switch outcome {
        case .value(let answer): return try answer.get()
        case .cancelled:
            state.withLock { $0.machine.leave(id) }
            throw Self.cancelled
        case .expired: throw Self.deadlinePassed
        }
    }

    /// The common case: there is a usable token. Starts a refresh in the background if it expires soon.
    @inline(never)
    private func serve(atLeast floor: UInt64, epoch: UInt64?) -> Answer? {
        let now = environment.clock.now
        let (answer, start) = state.withLock { state -> (Answer?, Machine.Flight?) in
            if state.isRetired { return (.success(nil), nil) }
            let current = state.machine.epoch
            if let epoch, epoch != current { return (.failure(Machine.signedOut), nil) }
            guard state.machine.peek(atLeast: floor, now: now) != nil else { return (nil, nil) }
            switch state.machine.demand(nil, atLeast: floor, deadline: nil, now: now) {
            case .serve(let token, let start):
                return (.success(lease(token, epoch: current, account: state.account(in: self))), start)
            case .wait(let start): return (nil, start)
            case .fail: return (nil, nil)
            }
        }
        if let start { launch(start) }
        return answer
    }

    /// Requests a token from the state machine, or adds a waiter.
    ///
    /// - Returns: the answer, if the caller need not wait.
    private func enqueue(
        _ id: Machine.WaiterID, atLeast floor: UInt64, epoch: UInt64?, deadline: Deadline?,
        patience: ContinuousClock.Instant?
    ) -> Answer? {
        let now = environment.clock.now
        let (answer, start, alarm) = state.withLock {
            state -> (Answer?, Machine.Flight?, ContinuousClock.Instant?) in
            if state.isRetired { return (.success(nil), nil, nil) }
            let current = state.machine.epoch
            if let epoch, epoch != current { return (.failure(Machine.signedOut), nil, nil) }
            // A cancelled caller starts no flight.
            if Task.isCancelled { return (.failure(Self.cancelled), nil, nil) }
            let demand = state.machine.demand(
                id, atLeast: floor, deadline: deadline?.instant, patience: patience, now: now)
            switch demand {
            case .serve(let token, let start):
                return (.success(lease(token, epoch: current, account: state.account(in: self))), start, nil)
            case .fail(let error): return (.failure(error), nil, nil)
            case .wait(let start):
                // Normally the flight's own limit comes first and needs no alarm. Earlier waiters have set theirs.
                guard let next = state.machine.deadline(of: id), let flight = state.machine.flight,
                    next < flight.deadline || flight.deadline <= now
                else { return (nil, start, nil) }
                return (nil, start, next)
            }
        }
        if let start { launch(start) }
        if let alarm { setAlarm(at: alarm) }
        return answer
    }

    /// Requests a token in the background, for later callers.
    func prefetch(atLeast floor: UInt64, epoch: UInt64) {
        let now = environment.clock.now
        let start = state.withLock { state -> Machine.Flight? in
            guard state.machine.epoch == epoch, !state.isRetired else { return nil }
            switch state.machine.demand(nil, atLeast: floor, deadline: nil, now: now) {
            case .serve(_, let start), .wait(let start): return start
            case .fail: return nil
            }
        }
        if let start { launch(start) }
    }

    /// Records that a response rejected a token.
    func reject(_ generation: UInt64, epoch: UInt64) {
        if state.withLock({ $0.machine.reject(generation, epoch: epoch) }) {
            tell(.rejected, epoch: epoch, generation: generation)
        }
    }

    // MARK: Deadlines of waiters

    func setAlarm(at instant: ContinuousClock.Instant) {
        waiters.setAlarm(at: instant) { [self] in expire() }
    }

    private func expire() {
        let now = environment.clock.now
        let (expiry, next) = state.withLock { ($0.machine.expire(now: now), $0.machine.nextDeadline) }
        tell(.failure(Self.deadlinePassed), to: expiry.late)
        if let error = expiry.error { tell(.failure(error), to: expiry.impatient) }
        // At least 1 ms apart, so that deadlines close together are handled together.
        if let next { setAlarm(at: max(next, now + .milliseconds(1))) }
    }

    func tell(_ answer: Answer, to ids: [Machine.WaiterID]) {
        waiters.tell(answer, to: ids)
    }

    static var cancelled: NetworkError {
        NetworkError(.cancelled, "The task was cancelled while it waited for a token.")
    }

    static var deadlinePassed: NetworkError {
        NetworkError(
            .timeout, "The call's deadline passed while it waited for a token.", phase: .credential,
            limit: .call)
    }

    func lease(_ token: IssuedToken, epoch: UInt64, account: String?) -> TokenLease {
        TokenLease(
            key: key,
            stamp: CredentialStamp(
                identity: CredentialIdentity(key: key.canonical, epoch: epoch, account: account),
                generation: token.generation),
            accessToken: token.accessToken, type: token.type)
    }
}
