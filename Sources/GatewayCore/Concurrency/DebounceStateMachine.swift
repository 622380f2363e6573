/// A value that waits until no other has replaced it for a time: events in, what the timer does next out.
struct DebounceStateMachine<Value: Sendable>: Sendable {
    /// What the timer does next.
    enum Step: Sendable {
        /// Sleeps.
        case sleep(until: ContinuousClock.Instant)
        /// Delivers the value, and asks again.
        case deliver(Value)
        /// Ends. The next value starts it again.
        case stop
    }

    let delay: Duration
    private var waiting: (value: Value, due: ContinuousClock.Instant)?
    private var isTimerRunning = false

    init(delay: Duration) { self.delay = delay }

    /// Replaces the value that waits. Returns whether the timer has to be started.
    mutating func submit(_ value: Value, at now: ContinuousClock.Instant) -> Bool {
        waiting = (value, now.adding(delay))
        defer { isTimerRunning = true }
        return !isTimerRunning
    }

    /// Drops the value that waits.
    mutating func cancel() { waiting = nil }

    /// What the running timer does next.
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
