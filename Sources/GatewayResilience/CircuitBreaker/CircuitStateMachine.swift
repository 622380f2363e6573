import GatewayCore

/// Decides which calls pass a circuit, and counts their outcomes. Pure: the caller passes the time and the
/// jitter.
///
/// Every admitted call has a ticket, which is settled exactly once. A new period begins with each change of
/// the state; outcomes of tickets of earlier periods are ignored.
struct CircuitStateMachine: Sendable {
    typealias Instant = ContinuousClock.Instant
    typealias State = CircuitBreaker.State

    /// The permission of one call.
    struct Ticket: Hashable, Sendable {
        /// The period that it belongs to. It wraps around after 2³² changes.
        let period: UInt32
        /// The slot of a probe, from 1; 0 for a call through a closed circuit.
        let probe: UInt16
    }

    /// Why a call must not be made.
    struct Rejection: Hashable, Sendable {
        /// The state of the circuit.
        let state: State
        /// When a call may be admitted; `nil` if unknown.
        let until: Instant?
    }

    /// Whether a call may be made.
    enum Admission: Hashable, Sendable {
        case admitted(Ticket)
        case rejected(Rejection)
    }

    private struct Probe: Sendable {
        let period: UInt32
        let due: Instant
    }

    private let policy: CircuitBreakerPolicy
    private let start: Instant
    /// Transitions: closed → open (a trigger), open → half-open (time, ``halfOpenNow(at:)``), half-open → closed
    /// (successful probes), half-open → open (a failed or expired probe), any → isolated (``isolate(at:)``),
    /// any → closed (``reset(at:)``).
    private(set) var state = State.closed
    private var period: UInt32 = 0
    private var consecutiveFailures = 0
    private var failures: SlidingWindow?
    private var slowCalls: SlidingWindow?
    private var successes = 0
    private var openUntil: Instant
    private var nextOpenFor: Duration
    /// The unsettled probes. Those of earlier periods keep their slot until they are settled or expire, so
    /// that there are never more probes in progress than the policy allows.
    private var probes: [Probe?]

    /// The position of the next open time in its range of ±10 %, from 0 to 1. The driver sets it after each
    /// change.
    var jitter: Double
    /// The changes since the last ``takeChanges()``.
    private(set) var changes: [CircuitBreaker.Transition] = []

    /// Makes a closed circuit with a valid policy.
    init(policy: CircuitBreakerPolicy, start: Instant, jitter: Double) {
        self.policy = policy
        self.start = start
        self.jitter = jitter
        failures = policy.failureRate.map { SlidingWindow(length: $0.window) }
        slowCalls = policy.slowRate.map { SlidingWindow(length: $0.window) }
        openUntil = start
        nextOpenFor = policy.openFor
        probes = Array(repeating: nil, count: policy.probes)
    }

    // MARK: Calls

    /// Why a call would be rejected now; `nil` if it would be admitted. Takes no ticket.
    func peek(at now: Instant) -> Rejection? {
        guard state != .closed else { return nil }
        var copy = self
        copy.advance(to: now)
        return copy.rejection(at: now)
    }

    /// Admits a call, or rejects it.
    mutating func admit(at now: Instant) -> Admission {
        guard state != .closed else { return .admitted(Ticket(period: period, probe: 0)) }
        advance(to: now)
        if let rejection = rejection(at: now) { return .rejected(rejection) }
        guard let slot = freeSlot(at: now) else { return .admitted(Ticket(period: period, probe: 0)) }
        probes[slot] = Probe(period: period, due: now.adding(policy.probeLimit))
        return .admitted(Ticket(period: period, probe: UInt16(slot) + 1))
    }

    /// Settles a ticket with the outcome of its call.
    ///
    /// - Parameter duration: how long the call took; `nil` if it cannot be slow.
    mutating func settle(
        _ ticket: Ticket, _ verdict: CircuitBreakerPolicy.Verdict, after duration: Duration?, at now: Instant
    ) {
        advance(to: now)
        let slot = Int(ticket.probe) - 1
        if probes.indices.contains(slot), probes[slot]?.period == ticket.period { probes[slot] = nil }
        guard ticket.period == period, verdict != .ignored else { return }
        let isSlow = policy.slowAfter.flatMap { limit in duration.map { $0 >= limit } } ?? false
        switch state {
        case .closed: count(isFailure: verdict == .failure, isSlow: isSlow, at: now)
        case .halfOpen:
            guard verdict == .success, !isSlow || policy.slowRate == nil else { return open(at: now) }
            successes += 1
            if successes >= policy.successesToClose { close(at: now) }
        // No tickets belong to these periods.
        case .open, .isolated: break
        }
    }

    // MARK: Time and commands

    /// Fails the probes that have taken too long, and makes the circuit half-open when its open time has
    /// passed.
    mutating func advance(to now: Instant) {
        if state == .halfOpen, let due = earliestDue(ofPeriod: period), due <= now { open(at: due) }
        if state == .open, openUntil <= now { enter(.halfOpen, at: openUntil) }
    }

    /// Rejects all calls until ``reset(at:)``.
    mutating func isolate(at now: Instant) {
        advance(to: now)
        if state != .isolated { enter(.isolated, at: now) }
    }

    /// Closes the circuit and resets its counts.
    mutating func reset(at now: Instant) {
        advance(to: now)
        close(at: now)
    }

    /// Lets an open circuit probe immediately, as after the network has returned.
    mutating func halfOpenNow(at now: Instant) {
        advance(to: now)
        if state == .open { enter(.halfOpen, at: now) }
    }

    /// Returns and clears the changes.
    mutating func takeChanges() -> [CircuitBreaker.Transition] {
        defer { changes = [] }
        return changes
    }

    // MARK: Parts

    private func rejection(at now: Instant) -> Rejection? {
        switch state {
        case .closed: nil
        case .open: Rejection(state: .open, until: openUntil)
        case .isolated: Rejection(state: .isolated, until: nil)
        case .halfOpen:
            freeSlot(at: now) == nil
                ? Rejection(state: .halfOpen, until: probes.compactMap { $0?.due }.min()) : nil
        }
    }

    private func freeSlot(at now: Instant) -> Int? {
        guard state == .halfOpen else { return nil }
        return probes.firstIndex { $0.map { $0.due <= now } ?? true }
    }

    private func earliestDue(ofPeriod period: UInt32) -> Instant? {
        probes.lazy.compactMap { $0 }.filter { $0.period == period }.map(\.due).min()
    }

    private mutating func count(isFailure: Bool, isSlow: Bool, at now: Instant) {
        consecutiveFailures = isFailure ? consecutiveFailures + 1 : 0
        var opens = policy.consecutiveFailures.map { consecutiveFailures >= $0 } ?? false
        if failures != nil || slowCalls != nil {
            let milliseconds = max(0, start.duration(to: now).wholeMilliseconds)
            failures?.record(isHit: isFailure, at: milliseconds)
            slowCalls?.record(isHit: isSlow, at: milliseconds)
            opens =
                opens || Self.exceeds(failures, policy.failureRate)
                || Self.exceeds(slowCalls, policy.slowRate)
        }
        if opens { open(at: now) }
    }

    private static func exceeds(_ window: SlidingWindow?, _ rate: CircuitBreakerPolicy.Rate?) -> Bool {
        guard let window, let rate, window.calls >= rate.minimumCalls else { return false }
        return Double(window.hits) >= rate.share * Double(window.calls)
    }

    private mutating func open(at now: Instant) {
        let time = nextOpenFor.bounded
        let limit = policy.longestOpen.bounded
        nextOpenFor = min(time.scaled(by: 2), limit)
        // In whole milliseconds, so that it does not depend on rounding errors.
        let milliseconds = (time.scaled(by: 0.9 + 0.2 * jitter) / .milliseconds(1)).rounded()
        let spread = min(.milliseconds(milliseconds), limit)
        openUntil = now.adding(spread)
        enter(.open, at: now, for: spread)
    }

    private mutating func close(at now: Instant) {
        nextOpenFor = policy.openFor
        enter(.closed, at: now)
    }

    private mutating func enter(_ next: State, at now: Instant, for time: Duration? = nil) {
        if next != state {
            changes.append(CircuitBreaker.Transition(from: state, to: next, instant: now, openFor: time))
        }
        state = next
        period &+= 1
        consecutiveFailures = 0
        successes = 0
        failures?.removeAll()
        slowCalls?.removeAll()
    }
}
