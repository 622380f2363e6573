import GatewayCore

/// Waits for store operations for a limited time. Longer operations continue in the background.
///
/// One alarm is shared by all waiters: one for each would cost more than most operations.
final class StorePatience: Sendable {
    private struct Wait {
        let due: ContinuousClock.Instant
        let expire: @Sendable () -> Void
    }

    private struct State {
        var waits: [UInt64: Wait] = [:]
        var lastWait: UInt64 = 0
        /// The times of the alarms that are set: few, because each is earlier than those before it.
        var alarms: [ContinuousClock.Instant] = []

        /// Records an alarm, unless one is set for that time or earlier.
        ///
        /// - Returns: whether to set it.
        mutating func noteAlarm(at instant: ContinuousClock.Instant) -> Bool {
            if alarms.contains(where: { $0 <= instant }) { return false }
            alarms.append(instant)
            return true
        }
    }

    let clock: any GatewayClock
    private let state = Locked(State())

    init(clock: any GatewayClock) { self.clock = clock }

    /// Runs work in a separate task.
    ///
    /// - Parameters:
    ///   - limit: the maximum wait.
    ///   - isCancelled: whether the work is cancelled when the wait ends.
    ///   - isCancellable: whether the wait ends when the caller's task is cancelled.
    ///   - work: the work. It begins on the thread of the caller.
    /// - Returns: the result of the work; `nil` if it takes longer.
    func value<Value: Sendable>(
        within limit: Duration, cancelling isCancelled: Bool, untilCancelled isCancellable: Bool = false,
        of work: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let answer = LateAnswer<Value>()
        // Before the work begins: a test that observes the beginning may advance the clock.
        let wait = begin(Wait(due: clock.now.adding(limit)) { answer.give(nil) })
        // A detached task would wake a thread only to pass the work to the thread of the store.
        let task = Task.immediateDetached { answer.give(await work()) }
        let value: Value?
        if isCancellable { value = await answer.valueUnlessCancelled } else { value = await answer.value }
        state.withLock { _ = $0.waits.removeValue(forKey: wait) }
        if value == nil, isCancelled { task.cancel() }
        return value
    }

    private func begin(_ wait: Wait) -> UInt64 {
        let (id, isAlarmNeeded) = state.withLock { state -> (UInt64, Bool) in
            state.lastWait += 1
            state.waits[state.lastWait] = wait
            return (state.lastWait, state.noteAlarm(at: wait.due))
        }
        if isAlarmNeeded { setAlarm(at: wait.due) }
        return id
    }

    private func setAlarm(at instant: ContinuousClock.Instant) {
        Task.detached { [clock, weak self] in
            do { try await clock.sleep(until: instant) } catch { return }
            self?.fire(instant)
        }
    }

    /// Ends the waits that are due, and sets the alarm for the next one.
    private func fire(_ instant: ContinuousClock.Instant) {
        let now = clock.now
        let (late, next) = state.withLock { state -> ([Wait], ContinuousClock.Instant?) in
            state.alarms.removeAll { $0 == instant }
            let late = state.waits.filter { $0.value.due <= now }
            for id in late.keys { state.waits[id] = nil }
            guard let next = state.waits.values.map(\.due).min(), state.noteAlarm(at: next) else {
                return (Array(late.values), nil)
            }
            return (Array(late.values), next)
        }
        for wait in late { wait.expire() }
        if let next { setAlarm(at: next) }
    }
}

/// A value for one waiter. Only the first value is used.
private final class LateAnswer<Value: Sendable>: Sendable {
    private enum State {
        case open
        case waiting(CheckedContinuation<Value?, Never>)
        case given(Value?)
    }

    private let state = Locked(State.open)

    func give(_ value: Value?) {
        let waiter = state.withLock { state -> CheckedContinuation<Value?, Never>? in
            switch state {
            case .open:
                state = .given(value)
                return nil
            case .waiting(let waiter):
                state = .given(nil)
                return waiter
            case .given: return nil
            }
        }
        guard let waiter else { return }
        // The sanitizer does not see the value of a continuation that is resumed before its task has
        // suspended.
        ThreadSanitizer.released(self)
        waiter.resume(returning: value)
    }

    /// Waits for the value. Called once.
    var value: Value? {
        get async {
            defer { ThreadSanitizer.acquired(self) }
            return await withCheckedContinuation { suspend($0) }
        }
    }

    /// Waits for the value; `nil` if the task is cancelled first.
    var valueUnlessCancelled: Value? {
        get async {
            await withTaskCancellationHandler {
                await value
            } onCancel: {
                give(nil)
            }
        }
    }

    private func suspend(_ waiter: CheckedContinuation<Value?, Never>) {
        let (isGiven, value) = state.withLock { state -> (Bool, Value?) in
            if case .given(let value) = state { return (true, value) }
            state = .waiting(waiter)
            return (false, nil)
        }
        if isGiven { waiter.resume(returning: value) }
    }
}
