import GatewayCore

/// What is known about the token of one key, and what is to be done next: events in, actions out. It does no I/O,
/// knows no clock and no chance, and holds no continuation.
///
/// The rules it keeps:
/// - one flight at a time, with an id; only the flight whose id stands in the state may end it;
/// - generations grow by 1 with every token published and are never used again;
/// - waiters leave one by one without touching the flight;
/// - while a single-use request may be under way, no other flight sends the refresh token that it sends;
/// - a failure that may pass is forgotten with time; one that may not lasts until the epoch changes;
/// - a new epoch ends everything of the one before, and takes no late result from it.
///
/// How flights end is in `TokenSlotStateMachine+Landing.swift`, what single-use requests add in
/// `TokenSlotStateMachine+Exchange.swift`, what a store adds in `TokenSlotStateMachine+Store.swift`.
struct TokenSlotStateMachine {
    typealias FlightID = UInt64
    typealias WaiterID = UInt64

    struct Flight: Sendable, Equatable {
        let id: FlightID
        let epoch: UInt64
        /// The newest generation when it began.
        let generation: UInt64
        let began: ContinuousClock.Instant
        /// How long callers wait for it.
        let deadline: ContinuousClock.Instant
        /// How long a single-use request of it may take.
        let exchangeDeadline: ContinuousClock.Instant
        let reason: TokenEvent.Reason
        /// How many failures in a row came before it.
        let failures: Int

        var knowsOfRejection: Bool { reason == .rejected }
    }

    struct Failure {
        let error: NetworkError
        let until: ContinuousClock.Instant
        let count: Int
    }

    enum State {
        /// No token, and nothing under way. → `refreshing` on demand; `holding` on sign-in; `signedOut`.
        case empty
        /// A token, whether usable or not, and nothing under way. → `refreshing` on demand, when it was rejected,
        /// or in its windows; `empty` and `holding` on sign-in; `signedOut`.
        case holding(IssuedToken)
        /// A flight is under way; the token before it is served for as long as it is good. → `holding` when it
        /// brings a token; `failed`, `dead`; `overdue`; itself, when it brings the very token that was rejected
        /// meanwhile; `empty` and `holding` on sign-in; `signedOut`.
        case refreshing(Flight, IssuedToken?)
        /// The callers' limit has passed, and the flight's single-use request goes on. No other flight begins. → as from
        /// `refreshing`.
        case overdue(Flight, IssuedToken?)
        /// The last flight failed in passing. → `refreshing` on demand once it has cooled; `holding` when a flight
        /// that was given up brings a token after all, or on sign-in; `empty`; `signedOut`.
        case failed(Failure, IssuedToken?)
        /// The last flight failed for good. The token before it is served while it is good. From `recheck` on a
        /// store is looked into again; `nil` without one. → `holding` as from `failed`; `refreshing` on demand from
        /// `recheck` on; `empty` and `holding` on sign-in; `signedOut`.
        case dead(NetworkError, IssuedToken?, recheck: ContinuousClock.Instant?)
        /// Nobody is signed in. → `empty` and `holding` on sign-in; itself.
        case signedOut
    }

    let policy: TokenRefreshPolicy
    var epoch: UInt64
    /// The newest generation that was published; 0 before the first.
    var generation: UInt64 = 0
    var state = State.empty {
        didSet {
            token = Self.token(in: state)
            isSignedOut = Self.isSignedOut(state)
        }
    }
    /// Whether somebody signed out, here or in a process that shares the store, and nobody signed in since.
    private(set) var isSignedOut = false
    /// The token of the state, whether usable or not. Kept apart, because each request reads it.
    private(set) var token: IssuedToken?
    /// What the next grant is had with. It outlives the token.
    var lastGrant: TokenGrant?
    var rejectedGeneration: UInt64 = 0
    /// What is known of the record in the store; `nil` without a store.
    var stored: Stored?
    private var lastFlight: FlightID = 0
    var waiters: [WaiterID: Waiter] = [:]
    /// The single-use requests that may be under way, of epochs that are over as well.
    var exchanges: [Exchange] = []

    struct Waiter {
        let floor: UInt64
        let deadline: ContinuousClock.Instant?
        /// Until when it waits for an overdue flight; `nil` for not at all.
        let patience: ContinuousClock.Instant?
    }

    init(policy: TokenRefreshPolicy, epoch: UInt64, isStored: Bool = false) {
        self.policy = policy
        self.epoch = epoch
        stored = isStored ? Stored() : nil
    }

    private static func isSignedOut(_ state: State) -> Bool {
        switch state {
        case .signedOut: true
        case .dead(let error, _, _): error.code == .signedOut
        case .empty, .holding, .refreshing, .overdue, .failed: false
        }
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

    /// The token, if it may still go on a request. It changes nothing.
    func peek(atLeast floor: UInt64, now: ContinuousClock.Instant) -> IssuedToken? {
        guard let token, token.generation > rejectedGeneration,
            token.generation >= min(floor, generation + 1),
            now < token.expiry
        else { return nil }
        return token
    }

    /// The token, if it may go on a request and nothing is to be done about it yet.
    func fresh(atLeast floor: UInt64, now: ContinuousClock.Instant) -> IssuedToken? {
        guard let token = peek(atLeast: floor, now: now), now < token.advisory else { return nil }
        return token
    }

    enum Demand {
        /// Here it is. `start` is a flight to begin in the background.
        case serve(IssuedToken, start: Flight?)
        /// The waiter was taken in. `start` is the flight to begin, where none is under way.
        case wait(start: Flight?)
        /// There is none, and none can be had now.
        case fail(NetworkError)
    }

    /// Somebody needs a token.
    ///
    /// - Parameters:
    ///   - waiter: who waits if need be; `nil` for somebody who only wants it to be there later.
    ///   - floor: the oldest generation that will do. A generation that nobody can have seen counts as the next.
    ///   - patience: until when the waiter waits for an overdue flight.
    mutating func demand(
        _ waiter: WaiterID?, atLeast floor: UInt64, deadline: ContinuousClock.Instant?,
        patience: ContinuousClock.Instant? = nil, now: ContinuousClock.Instant
    ) -> Demand {
        let floor = min(floor, generation + 1)
        if let token = peek(atLeast: floor, now: now) {
            if now < token.advisory { return .serve(token, start: nil) }
            if now < token.mandatory { return .serve(token, start: begin(.advisory, now: now)) }
            // Nothing better can be had for the moment.
            if failure(at: now) != nil { return .serve(token, start: nil) }
        }
        if let error = failure(at: now), !isWaitedFor(patience, now: now) { return .fail(error) }
        let isRejected = generation > 0 && rejectedGeneration == generation
        let start = begin(isRejected ? .rejected : .demand, now: now)
        if let waiter { waiters[waiter] = Waiter(floor: floor, deadline: deadline, patience: patience) }
        return .wait(start: start)
    }

    /// Why no flight may begin now.
    private func failure(at now: ContinuousClock.Instant) -> NetworkError? {
        switch state {
        case .overdue(let flight, _): return overdue(flight, now: now)
        case .dead(let error, _, let recheck):
            if let recheck, recheck <= now { return nil }
            return error
        case .signedOut: return Self.signedOut
        case .failed(let failure, _) where now < failure.until:
            return failure.error.waiting(now.duration(to: failure.until))
        case .empty, .holding, .refreshing, .failed: return nil
        }
    }

    /// Begins a flight where none is under way and none has failed too recently.
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

    /// A response said that a token is not accepted. A token that was replaced meanwhile changes nothing.
    ///
    /// - Returns: whether it was the newest one, and this is news.
    mutating func reject(_ generation: UInt64, epoch: UInt64) -> Bool {
        guard epoch == self.epoch, generation == self.generation, generation > rejectedGeneration else {
            return false
        }
        rejectedGeneration = generation
        return true
    }

    // MARK: Waiters

    /// A waiter leaves. The flight goes on, even without any.
    mutating func leave(_ waiter: WaiterID) { waiters[waiter] = nil }

    mutating func takeWaiters() -> [WaiterID] {
        defer { waiters = [:] }
        return Array(waiters.keys)
    }

    // MARK: Epochs

    /// Somebody signs out: nothing of the epoch remains.
    ///
    /// - Returns: those who waited; they get ``signedOut``.
    mutating func signOut(epoch: UInt64) -> [WaiterID] {
        self.epoch = epoch
        state = .signedOut
        lastGrant = nil
        return takeWaiters()
    }

    /// Somebody signs in, with a grant or with nothing but what the acquirer knows.
    ///
    /// - Returns: those who waited under the epoch before; they get ``signedOut``.
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
