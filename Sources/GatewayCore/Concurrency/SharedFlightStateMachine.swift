/// How waiting for a ``SharedFlight`` ends.
package enum FlightOutcome<Value> {
    /// The flight, or its owner, has a value for the waiter.
    case value(Value)
    /// The waiter's task was cancelled.
    case cancelled
    /// The waiter's deadline passed.
    case expired
}

extension FlightOutcome: Sendable where Value: Sendable {}

/// The waiters of a ``SharedFlight``: pure state, events in, actions out. It holds continuations and never resumes one.
///
/// A waiter has joined, then suspended, and is told one outcome, the first. One that is told before it suspends finds its
/// outcome there, so that it does not matter which comes first.
struct SharedFlightStateMachine<Value, Continuation> {
    typealias WaiterID = UInt64
    typealias Outcome = FlightOutcome<Value>

    private enum Stage {
        /// → `suspended`; `told`; removed by `leave`.
        case joined
        /// → removed when it is told.
        case suspended(Continuation)
        /// → removed when it would suspend, or by `leave`.
        case told(Outcome)
    }

    private struct Waiter {
        let deadline: ContinuousClock.Instant?
        let priority: CallPriority
        var stage = Stage.joined

        var isWaiting: Bool {
            if case .told = stage { false } else { true }
        }
    }

    private var waiters: [WaiterID: Waiter] = [:]
    private var lastID: WaiterID = 0
    private var landing: Value?
    /// The end of the request by itself: waiters that stay longer need no alarm.
    private var limit: ContinuousClock.Instant?
    /// The instant of the alarm that is set; `nil` if none is.
    private(set) var alarm: ContinuousClock.Instant?
    /// How many wait: those that have joined and were told nothing.
    private(set) var waiterCount = 0
    /// The highest priority of those that have joined, since a waiter was last appointed.
    private(set) var priority = CallPriority.low

    init(limit: ContinuousClock.Instant? = nil) { self.limit = limit }

    // MARK: Waiters

    /// A waiter joins. After ``land(_:)`` it is told the value at once.
    mutating func join(until deadline: ContinuousClock.Instant?, priority: CallPriority) -> WaiterID {
        lastID += 1
        var waiter = Waiter(deadline: deadline, priority: priority)
        if let landing {
            waiter.stage = .told(.value(landing))
        } else {
            waiterCount += 1
            self.priority = max(self.priority, priority)
        }
        waiters[lastID] = waiter
        return lastID
    }

    /// A waiter that has joined suspends.
    ///
    /// - Returns: its outcome, if it was told already; `.cancelled` for one that has left.
    mutating func suspend(_ id: WaiterID, _ continuation: Continuation) -> Outcome? {
        guard let waiter = waiters[id] else { return .cancelled }
        if case .told(let outcome) = waiter.stage {
            waiters[id] = nil
            return outcome
        }
        waiters[id]?.stage = .suspended(continuation)
        return nil
    }

    /// A waiter that has joined leaves before it suspends.
    mutating func leave(_ id: WaiterID) {
        if waiters.removeValue(forKey: id)?.isWaiting == true { removed() }
    }

    /// Tells a waiter its outcome, unless it was told one.
    ///
    /// - Returns: the continuation to resume.
    mutating func tell(_ outcome: Outcome, to id: WaiterID) -> Continuation? {
        guard let waiter = waiters[id], waiter.isWaiting else { return nil }
        removed()
        if case .suspended(let continuation) = waiter.stage {
            waiters[id] = nil
            return continuation
        }
        waiters[id]?.stage = .told(outcome)
        return nil
    }

    /// Tells all who wait, and all who join from now on, the value. Only the first landing counts.
    ///
    /// - Returns: the continuations to resume; `nil` if the flight has landed before.
    mutating func land(_ value: Value) -> [Continuation]? {
        guard landing == nil else { return nil }
        landing = value
        (waiterCount, alarm) = (0, nil)
        let all = waiters
        waiters = [:]
        var continuations: [Continuation] = []
        for (id, var waiter) in all {
            if case .suspended(let continuation) = waiter.stage {
                continuations.append(continuation)
            } else {
                if waiter.isWaiting { waiter.stage = .told(.value(value)) }
                waiters[id] = waiter
            }
        }
        return continuations
    }

    /// Tells a value to those whose deadline is no later than an instant.
    mutating func tell(_ value: Value, dueBy instant: ContinuousClock.Instant) -> [Continuation] {
        tell(.value(value)) { $0.deadline.map { $0 <= instant } ?? false }
    }

    private mutating func tell(_ outcome: Outcome, where isMeant: (Waiter) -> Bool) -> [Continuation] {
        let ids = waiters.filter { $0.value.isWaiting && isMeant($0.value) }.map(\.key)
        return ids.compactMap { tell(outcome, to: $0) }
    }

    /// Tells a value to one waiter, the one with the latest deadline, which makes the request from now on. The limit is
    /// its deadline, and the priority the highest of those who are left and its own.
    ///
    /// - Returns: `nil` if nobody waits; else the continuation to resume, if the waiter has suspended.
    mutating func appoint(_ value: Value) -> Continuation?? {
        let waiting = waiters.lazy.filter(\.value.isWaiting)
        guard let best = waiting.max(by: { Self.isLess($0, $1) }) else { return nil }
        limit = best.value.deadline
        priority = waiting.map(\.value.priority).max() ?? .low
        return .some(tell(.value(value), to: best.key))
    }

    /// By deadline; of equal ones the first to join is the latest.
    private static func isLess(_ a: (key: WaiterID, value: Waiter), _ b: (key: WaiterID, value: Waiter))
        -> Bool
    {
        switch (a.value.deadline, b.value.deadline) {
        case (let x?, let y?) where x != y: x < y
        case (nil, .some): false
        case (.some, nil): true
        default: a.key > b.key
        }
    }

    // MARK: Deadlines

    /// When a waiter needs the alarm; `nil` if it does not, or one is set that comes in time.
    func alarm(for id: WaiterID) -> ContinuousClock.Instant? {
        guard let waiter = waiters[id], waiter.isWaiting else { return nil }
        return needed(waiter.deadline)
    }

    /// When the next waiter needs the alarm.
    var nextAlarm: ContinuousClock.Instant? {
        needed(waiters.values.lazy.filter(\.isWaiting).compactMap(\.deadline).min())
    }

    private func needed(_ deadline: ContinuousClock.Instant?) -> ContinuousClock.Instant? {
        guard let deadline else { return nil }
        if let limit, limit <= deadline { return nil }
        if let alarm, alarm <= deadline { return nil }
        return deadline
    }

    /// The alarm is to be set.
    ///
    /// - Returns: whether it is needed: somebody waits, and no earlier one is set.
    mutating func setAlarm(at instant: ContinuousClock.Instant) -> Bool {
        guard waiterCount > 0, alarm.map({ instant < $0 }) ?? true else { return false }
        alarm = instant
        return true
    }

    /// The alarm that was set for an instant has fired.
    mutating func alarmFired(_ instant: ContinuousClock.Instant) {
        if alarm == instant { alarm = nil }
    }

    /// Tells those whose deadline has passed.
    mutating func expire(now: ContinuousClock.Instant) -> [Continuation] {
        tell(.expired) { $0.deadline.map { $0 <= now } ?? false }
    }

    private mutating func removed() {
        waiterCount -= 1
        if waiterCount == 0 { alarm = nil }
    }
}
