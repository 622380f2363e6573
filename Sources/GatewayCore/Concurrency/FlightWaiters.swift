/// The waiters of a ``SharedFlight``. It drives a ``SharedFlightStateMachine``.
///
/// Why it is not generic: code in other modules would call it unspecialized, which is several times slower.
final class FlightWaiters: Sendable {
    typealias Value = any AnyObject & Sendable
    typealias Outcome = FlightOutcome<Value>
    typealias WaiterID = UInt64
    private typealias Continuation = CheckedContinuation<Outcome, Never>

    private struct State {
        var machine: SharedFlightStateMachine<Value, Continuation>
        /// The task that sleeps until the machine's alarm.
        var alarm: Task<Void, Never>?

        /// Removes and returns the alarm if there are no waiters.
        mutating func takeIdleAlarm() -> Task<Void, Never>? {
            guard machine.waiterCount == 0, alarm != nil else { return nil }
            defer { alarm = nil }
            return alarm
        }
    }

    let clock: any GatewayClock
    private let onLastLeave: (@Sendable () -> Void)?
    private let state: Locked<State>

    init(clock: any GatewayClock, limit: Deadline?, onLastLeave: (@Sendable () -> Void)?) {
        self.clock = clock
        self.onLastLeave = onLastLeave
        state = Locked(State(machine: SharedFlightStateMachine(limit: limit?.instant)))
    }

    var count: Int { state.withLock { $0.machine.waiterCount } }

    var priority: CallPriority { state.withLock { $0.machine.priority } }

    // MARK: Waiting

    func join(until deadline: Deadline?, priority: CallPriority) -> WaiterID {
        state.withLock { $0.machine.join(until: deadline?.instant, priority: priority) }
    }

    func leave(_ waiter: WaiterID) {
        let alarm = state.withLock { state in
            state.machine.leave(waiter)
            return state.takeIdleAlarm()
        }
        alarm?.cancel()
    }

    func outcome(of waiter: WaiterID) async -> Outcome {
        setExpiry(of: waiter)
        defer { ThreadSanitizer.acquired(self) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { suspend(waiter, $0) }
        } onCancel: {
            cancel(waiter)
        }
    }

    // Out of line to keep the async frame of waiters small.

    @inline(never)
    private func setExpiry(of waiter: WaiterID) {
        if let alarm = state.withLock({ $0.machine.alarm(for: waiter) }) { setExpiry(at: alarm) }
    }

    @inline(never)
    private func suspend(_ waiter: WaiterID, _ continuation: Continuation) {
        let told = state.withLock { $0.machine.suspend(waiter, continuation) }
        if let told { continuation.resume(returning: told) }
    }

    // MARK: Outcomes

    func land(_ value: Value) -> Bool {
        let (waiters, alarm) = state.withLock { ($0.machine.land(value), $0.takeIdleAlarm()) }
        alarm?.cancel()
        guard let waiters else { return false }
        resume(waiters, .value(value))
        return true
    }

    func tell(_ value: Value, to some: [WaiterID]) {
        let (waiters, alarm) = state.withLock { state in
            (some.compactMap { state.machine.tell(.value(value), to: $0) }, state.takeIdleAlarm())
        }
        alarm?.cancel()
        resume(waiters, .value(value))
    }

    func tell(_ value: Value, dueBy instant: ContinuousClock.Instant) {
        let (waiters, alarm) = state.withLock {
            ($0.machine.tell(value, dueBy: instant), $0.takeIdleAlarm())
        }
        alarm?.cancel()
        resume(waiters, .value(value))
    }

    func appoint(_ value: Value) -> Bool {
        let (appointed, alarm, next) = state.withLock {
            ($0.machine.appoint(value), $0.takeIdleAlarm(), $0.machine.nextAlarm)
        }
        alarm?.cancel()
        guard let appointed else { return false }
        if let next { setExpiry(at: next) }
        if let appointed { resume([appointed], .value(value)) }
        return true
    }

    @inline(never)
    private func cancel(_ waiter: WaiterID) {
        let (continuation, alarm, isLast) = state.withLock { state in
            let count = state.machine.waiterCount
            let continuation = state.machine.tell(.cancelled, to: waiter)
            let isLast = count > 0 && state.machine.waiterCount == 0
            return (continuation, state.takeIdleAlarm(), isLast)
        }
        alarm?.cancel()
        if let continuation { resume([continuation], .cancelled) }
        if isLast { onLastLeave?() }
    }

    /// Resumes waiters. Why the annotation: a continuation that is resumed before its task has suspended passes its
    /// value in a way that ThreadSanitizer does not see.
    private func resume(_ waiters: [Continuation], _ outcome: Outcome) {
        guard !waiters.isEmpty else { return }
        ThreadSanitizer.released(self)
        for waiter in waiters { waiter.resume(returning: outcome) }
    }

    // MARK: Deadlines

    func setAlarm(at instant: ContinuousClock.Instant, _ fire: @escaping @Sendable () -> Void) {
        guard state.withLock({ $0.machine.setAlarm(at: instant) }) else { return }
        let task = clock.alarm(at: instant) { [self] in
            state.withLock { $0.machine.alarmFired(instant) }
            fire()
        }
        let unneeded = state.withLock { state -> Task<Void, Never>? in
            // It may have fired already, and another one may be set.
            guard state.machine.alarm == instant else { return task }
            defer { state.alarm = task }
            return state.alarm
        }
        unneeded?.cancel()
    }

    private func setExpiry(at instant: ContinuousClock.Instant) {
        setAlarm(at: instant) { [self] in expire() }
    }

    private func expire() {
        let now = clock.now
        let (late, next, alarm, isLast) = state.withLock { state in
            let count = state.machine.waiterCount
            let late = state.machine.expire(now: now)
            let isLast = count > 0 && state.machine.waiterCount == 0
            return (late, state.machine.nextAlarm, state.takeIdleAlarm(), isLast)
        }
        alarm?.cancel()
        resume(late, .expired)
        // At least 1 ms apart, so that deadlines close together are handled together.
        if let next { setExpiry(at: max(next, now.adding(.milliseconds(1)))) }
        if isLast { onLastLeave?() }
    }
}
