/// The result of waiting for a ``SharedFlight``.
package enum FlightOutcome<Value> {
    /// The flight, or its owner, has a value for the waiter.
    case value(Value)
    /// The waiter's task was cancelled.
    case cancelled
    /// The waiter's deadline passed.
    case expired
}

extension FlightOutcome: Sendable where Value: Sendable {}

/// The waiters of a ``SharedFlight``. A pure state machine. It stores continuations but never resumes one.
///
/// A waiter joins, then suspends, and gets one outcome. If it gets the outcome before it suspends, the outcome is
/// stored, so the order does not matter.
struct SharedFlightStateMachine<Value, Continuation> {
    typealias WaiterID = UInt64
    typealias Outcome = FlightOutcome<Value>

    private enum Stage {
        /// → `suspended`; `told`; removed by `leave`.
        case joined
        /// → removed when it gets its outcome.
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
    /// When the request ends by itself. Waiters with a later deadline need no alarm.
    private var limit: ContinuousClock.Instant?
    /// The instant of the current alarm, if any.
    private(set) var alarm: ContinuousClock.Instant?
    /// The number of waiters without an outcome.
    private(set) var waiterCount = 0
    /// The highest priority of all waiters that have joined since the last appointment.
    private(set) var priority = CallPriority.low

    init(limit: ContinuousClock.Instant? = nil) { self.limit = limit }

    // MARK: Waiters

    /// Adds a waiter. After ``land(_:)`` it gets the value immediately.
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

    /// Suspends a waiter.
    ///
    /// - Returns: its outcome, if it already has one; `.cancelled` if it has left.
    mutating func suspend(_ id: WaiterID, _ continuation: Continuation) -> Outcome? {
        guard let waiter = waiters[id] else { return .cancelled }
        if case .told(let outcome) = waiter.stage {
            waiters[id] = nil
            return outcome
        }
        waiters[id]?.stage = .suspended(continuation)
        return nil
    }

    /// Removes a waiter before it suspends.
    mutating func leave(_ id: WaiterID) {
        if waiters.removeValue(forKey: id)?.isWaiting == true { removed() }
    }

    /// Gives a waiter its outcome, unless it already has one.
    ///
    /// - Returns: the continuation to resume, if the waiter is suspended.
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

    /// Gives the value to all current and future waiters. Only the first call has an effect.
    ///
    /// - Returns: the continuations to resume; `nil` if the flight has already landed.
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

    /// Gives a value to the waiters whose deadline is not later than an instant.
    mutating func tell(_ value: Value, dueBy instant: ContinuousClock.Instant) -> [Continuation] {
        tell(.value(value)) { $0.deadline.map { $0 <= instant } ?? false }
    }

    private mutating func tell(_ outcome: Outcome, where isMeant: (Waiter) -> Bool) -> [Continuation] {
        let ids = waiters.filter { $0.value.isWaiting && isMeant($0.value) }.map(\.key)
        return ids.compactMap { tell(outcome, to: $0) }
    }

    /// Gives a value to the waiter with the latest deadline, which then makes the request. Its deadline becomes the
    /// limit, and the priority becomes the highest one of this waiter and the remaining ones.
    ///
    /// - Returns: `nil` if there are no waiters; otherwise the continuation to resume, if the waiter is suspended.
    mutating func appoint(_ value: Value) -> Continuation?? {
        let waiting = waiters.lazy.filter(\.value.isWaiting)
        guard let best = waiting.max(by: { Self.isLess($0, $1) }) else { return nil }
        limit = best.value.deadline
        priority = waiting.map(\.value.priority).max() ?? .low
        return .some(tell(.value(value), to: best.key))
    }

    /// Orders waiters by deadline. For equal deadlines, the waiter that joined first is the greatest.
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

    /// The alarm that a waiter needs; `nil` if it needs none or an early enough alarm is set.
    func alarm(for id: WaiterID) -> ContinuousClock.Instant? {
        guard let waiter = waiters[id], waiter.isWaiting else { return nil }
        return needed(waiter.deadline)
    }

    /// The alarm that the next waiter needs.
    var nextAlarm: ContinuousClock.Instant? {
        needed(waiters.values.lazy.filter(\.isWaiting).compactMap(\.deadline).min())
    }

    private func needed(_ deadline: ContinuousClock.Instant?) -> ContinuousClock.Instant? {
        guard let deadline else { return nil }
        if let limit, limit <= deadline { return nil }
        if let alarm, alarm <= deadline { return nil }
        return deadline
    }

    /// Sets the alarm.
    ///
    /// - Returns: whether it is needed: there are waiters, and no earlier alarm is set.
    mutating func setAlarm(at instant: ContinuousClock.Instant) -> Bool {
        guard waiterCount > 0, alarm.map({ instant < $0 }) ?? true else { return false }
        alarm = instant
        return true
    }

    /// Records that the alarm for an instant has fired.
    mutating func alarmFired(_ instant: ContinuousClock.Instant) {
        if alarm == instant { alarm = nil }
    }

    /// Expires the waiters whose deadline has passed.
    mutating func expire(now: ContinuousClock.Instant) -> [Continuation] {
        tell(.expired) { $0.deadline.map { $0 <= now } ?? false }
    }

    private mutating func removed() {
        waiterCount -= 1
        if waiterCount == 0 { alarm = nil }
    }
}
