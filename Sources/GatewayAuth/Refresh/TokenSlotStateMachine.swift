import GatewayCore

/// The state of the token of one key, and the next actions. A pure state machine: no I/O, no clock, no randomness, no
/// continuations.
///
/// Its rules:
/// - There is one flight at a time. It has an ID, and only the flight with the current ID can end it.
/// - Generations grow by 1 with each published token and are never reused.
/// - Waiters leave individually without an effect on the flight.
/// - While a single-use request may be in progress, no other flight sends the same refresh token.
/// - A transient failure ends with time; a permanent failure lasts until the epoch changes.
/// - A new epoch ends everything of the previous one, and ignores its late results.
///
/// How flights end is in `TokenSlotStateMachine+Landing.swift`, single-use requests in
/// `TokenSlotStateMachine+Exchange.swift`, the store in `TokenSlotStateMachine+Store.swift`.
struct TokenSlotStateMachine {
    typealias FlightID = UInt64
    typealias WaiterID = UInt64

    struct Flight: Sendable, Equatable {
        let id: FlightID
        let epoch: UInt64
        /// The newest generation at its start.
        let generation: UInt64
        let began: ContinuousClock.Instant
        /// The time limit of the waiting callers.
        let deadline: ContinuousClock.Instant
        /// The time limit of its single-use request.
        let exchangeDeadline: ContinuousClock.Instant
        let reason: TokenEvent.Reason
        /// The number of consecutive failures before it.
        let failures: Int

        var knowsOfRejection: Bool { reason == .rejected }
    }

    struct Failure {
        let error: NetworkError
        let until: ContinuousClock.Instant
        let count: Int
    }

    enum State {
        /// No token and no flight. → `refreshing` on demand; `holding` on sign-in; `signedOut`.
        case empty
        /// A token, usable or not, and no flight. → `refreshing` on demand, if the token was rejected or is in one of
        /// its windows; `empty` and `holding` on sign-in; `signedOut`.
        case holding(IssuedToken)
        /// A flight is in progress. The previous token is used while it is valid. → `holding` with a new token;
        /// `failed`, `dead`; `overdue`; itself, if the flight brought the token that was rejected meanwhile; `empty`
        /// and `holding` on sign-in; `signedOut`.
        case refreshing(Flight, IssuedToken?)
        /// The time limit of the callers has passed, and the single-use request of the flight continues. No other
        /// flight starts. → as from `refreshing`.
        case overdue(Flight, IssuedToken?)
        /// The last flight had a transient failure. → `refreshing` on demand after the backoff; `holding` if an
        /// abandoned flight brings a token, or on sign-in; `empty`; `signedOut`.
        case failed(Failure, IssuedToken?)
        /// The last flight had a permanent failure. The previous token is used while it is valid. After `recheck` the
        /// store is read again; `nil` without a store. → `holding` as from `failed`; `refreshing` on demand after
        /// `recheck`; `empty` and `holding` on sign-in; `signedOut`.
        case dead(NetworkError, IssuedToken?, recheck: ContinuousClock.Instant?)
        /// Signed out here or, with `recheck`, in a process that shares the store, which is read again then. → `empty` and
        /// `holding` on sign-in; `refreshing` on demand after `recheck`; itself.
        case signedOut(recheck: ContinuousClock.Instant?)
    }

    let policy: TokenRefreshPolicy
    /// The error that each request for a token fails with: the policy is not valid.
    let problem: NetworkError?
    var epoch: UInt64
    /// The newest published generation; 0 before the first.
    var generation: UInt64 = 0
    var state = State.empty {
        didSet {
            token = Self.token(in: state)
            isSignedOut = if case .signedOut = state { true } else { false }
        }
    }
    /// Whether there was a sign-out, here or in a process that shares the store, and no sign-in since.
    private(set) var isSignedOut = false
    /// The token of the state, usable or not. Stored separately, because each request reads it.
    private(set) var token: IssuedToken?
    /// The last grant, with the refresh token for the next one. It is kept after the token has expired.
    var lastGrant: TokenGrant?
    var rejectedGeneration: UInt64 = 0
    /// The known state of the record in the store; `nil` without a store.
    var stored: Stored?
    private var lastFlight: FlightID = 0
    var waiters: [WaiterID: Waiter] = [:]
    /// The single-use requests that may be in progress, including those of previous epochs.
    var exchanges: [Exchange] = []

    struct Waiter {
        let floor: UInt64
        let deadline: ContinuousClock.Instant?
        /// How long it waits for an overdue flight; `nil` does not wait.
        let patience: ContinuousClock.Instant?
    }

    init(policy: TokenRefreshPolicy, epoch: UInt64, isStored: Bool = false) {
        self.policy = policy
        problem = NetworkError.problem(policy.validate)
        self.epoch = epoch
        stored = isStored ? Stored() : nil
    }

    private static func token(in state: State) -> IssuedToken? {
        switch state {
        case .empty, .signedOut: nil
        case .holding(let token): token
        case .refreshing(_, let token), .overdue(_, let token), .failed(_, let token), .dead(_, let token, _):
            token
        }
    }

    var flight: Flight? {
        switch state {
        case .refreshing(let flight, _), .overdue(let flight, _): flight
        default: nil
        }
    }

    var waiterCount: Int { waiters.count }

    // MARK: Demand

    /// The token, if it may still be used for a request. Does not change the state.
    func peek(atLeast floor: UInt64, now: ContinuousClock.Instant) -> IssuedToken? {
        guard let token = unrejected(atLeast: floor), now < token.expiry else { return nil }
        return token
    }

    /// Whether the token could still be used for a request if its lifetime were longer. Does not change the state.
    func hasExpired(atLeast floor: UInt64, now: ContinuousClock.Instant) -> Bool {
        unrejected(atLeast: floor).map { $0.expiry <= now } ?? false
    }

    private func unrejected(atLeast floor: UInt64) -> IssuedToken? {
        guard problem == nil, let token, token.generation > rejectedGeneration,
            token.generation >= min(floor, generation + 1)
        else { return nil }
        return token
    }

    /// The token, if it may be used for a request and need not be refreshed yet.
    func fresh(atLeast floor: UInt64, now: ContinuousClock.Instant) -> IssuedToken? {
        guard let token = peek(atLeast: floor, now: now), now < token.advisory else { return nil }
        return token
    }

    enum Demand {
        /// A usable token. `start` is a flight to start in the background.
        case serve(IssuedToken, start: Flight?)
        /// The waiter was added. `start` is the flight to start if none is in progress.
        case wait(start: Flight?)
        /// There is no token, and none can be obtained now.
        case fail(NetworkError)
    }

    /// Handles a request for a token.
    ///
    /// - Parameters:
    ///   - waiter: the waiter to add if necessary; `nil` for a prefetch.
    ///   - floor: the minimum generation. A generation that does not exist yet is treated as the next one.
    ///   - patience: how long the waiter waits for an overdue flight.
    mutating func demand(
        _ waiter: WaiterID?, atLeast floor: UInt64, deadline: ContinuousClock.Instant?,
        patience: ContinuousClock.Instant? = nil, now: ContinuousClock.Instant
    ) -> Demand {
        if let problem { return .fail(problem) }
        let floor = min(floor, generation + 1)
        if let token = peek(atLeast: floor, now: now) {
            if now < token.advisory { return .serve(token, start: nil) }
            if now < token.mandatory { return .serve(token, start: begin(.advisory, now: now)) }
            // No newer token can be obtained at the moment.
            if failure(at: now) != nil { return .serve(token, start: nil) }
        }
        if let error = failure(at: now), !isWaitedFor(patience, now: now) { return .fail(error) }
        let isRejected = generation > 0 && rejectedGeneration == generation
        let start = begin(isRejected ? .rejected : .demand, now: now)
        if let waiter { waiters[waiter] = Waiter(floor: floor, deadline: deadline, patience: patience) }
        return .wait(start: start)
    }

    /// Why no flight may start now; `nil` if one may start.
    private func failure(at now: ContinuousClock.Instant) -> NetworkError? {
        switch state {
        case .overdue(let flight, _): return overdue(flight, now: now)
        case .dead(_, _, let recheck?) where recheck <= now: return nil
        case .dead(let error, _, _): return error
        case .signedOut(let recheck?) where recheck <= now: return nil
        case .signedOut: return Self.signedOut
        case .failed(let failure, _) where now < failure.until:
            return failure.error.waiting(now.duration(to: failure.until))
        case .empty, .holding, .refreshing, .failed: return nil
        }
    }

    /// Starts a flight, unless one is in progress or a failure is too recent.
    private mutating func begin(_ reason: TokenEvent.Reason, now: ContinuousClock.Instant) -> Flight? {
        guard flight == nil, failure(at: now) == nil else { return nil }
        var failures = 0
        if case .failed(let failure, _) = state { failures = failure.count }
        return enter(reason, failures: failures, now: now)
    }

    mutating func enter(
        _ reason: TokenEvent.Reason, failures: Int, now: ContinuousClock.Instant
    ) -> Flight {
        lastFlight += 1
        let flight = Flight(
            id: lastFlight, epoch: epoch, generation: generation, began: now,
            deadline: now.adding(policy.timeout),
            exchangeDeadline: now.adding(max(policy.timeout, policy.exchangeTimeout)), reason: reason,
            failures: failures)
        state = .refreshing(flight, token)
        return flight
    }

    /// Records that a response rejected a token. An older token is ignored.
    ///
    /// - Returns: whether it was the newest token and was not rejected before.
    mutating func reject(_ generation: UInt64, epoch: UInt64) -> Bool {
        guard epoch == self.epoch, generation == self.generation, generation > rejectedGeneration else {
            return false
        }
        rejectedGeneration = generation
        return true
    }

    // MARK: Waiters

    /// Removes a waiter. The flight continues, even without waiters.
    mutating func leave(_ waiter: WaiterID) { waiters[waiter] = nil }

    mutating func takeWaiters() -> [WaiterID] {
        defer { waiters = [:] }
        return waiters.sorted { ($0.value.floor > 0 ? 0 : 1, $0.key) < ($1.value.floor > 0 ? 0 : 1, $1.key) }
            .map(\.key)
    }

    // MARK: Epochs

    /// Signs out and clears the data of the epoch.
    ///
    /// - Returns: the removed waiters; they get ``signedOut``.
    mutating func signOut(epoch: UInt64) -> [WaiterID] {
        self.epoch = epoch
        state = .signedOut(recheck: nil)
        lastGrant = nil
        return takeWaiters()
    }

    /// Signs in, with a grant or only with the acquirer's own credential.
    ///
    /// - Returns: the removed waiters of the previous epoch; they get ``signedOut``.
    mutating func signIn(
        _ grant: TokenGrant?, epoch: UInt64, now: ContinuousClock.Instant, chance: Double
    ) -> [WaiterID] {
        self.epoch = epoch
        state = .empty
        lastGrant = grant
        if let grant,
            let issued = try? IssuedToken(
                grant, generation: generation + 1, sent: now, now: now, policy: policy, chance: chance)
        {
            generation += 1
            state = .holding(issued)
        }
        return takeWaiters()
    }

    static var signedOut: NetworkError {
        NetworkError(.signedOut, "The credential was signed out: sign in before calling again.")
    }
}
