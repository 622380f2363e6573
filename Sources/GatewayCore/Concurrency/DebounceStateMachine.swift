/// The value of a ``Debouncer`` and its due time. A pure state machine for the timer.
struct DebounceStateMachine<Value: Sendable>: Sendable {
    /// The next action of the timer.
    enum Step: Sendable {
        /// Sleep.
        case sleep(until: ContinuousClock.Instant)
        /// Deliver the value, then call `step(at:)` again.
        case deliver(Value)
        /// End. The next value starts a new timer.
        case stop
    }

    let delay: Duration
    private var waiting: (value: Value, due: ContinuousClock.Instant)?
    private var isTimerRunning = false

    init(delay: Duration) { self.delay = delay }

    /// Replaces the pending value. Returns whether the timer must be started.
    mutating func submit(_ value: Value, at now: ContinuousClock.Instant) -> Bool {
        waiting = (value, now.adding(delay))
        defer { isTimerRunning = true }
        return !isTimerRunning
    }

    /// Drops the pending value.
    mutating func cancel() { waiting = nil }

    /// The next action of the running timer.
    mutating func step(at now: ContinuousClock.Instant) -> Step {
        guard let (value, due) = waiting else {
            isTimerRunning = false
            return .stop
        }
        guard now >= due else { return .sleep(until: due) }
        waiting = nil
        return .deliver(value)
    }
}
