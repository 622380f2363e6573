/// What one request is doing for several waiters.
///
/// A waiter joins, waits, and gets exactly one outcome: the value that the flight lands with, its own cancellation, or the
/// end of its own deadline. When it leaves, neither the flight nor the other waiters notice.
///
/// The owner keeps the flight in its own state and calls ``join(until:priority:)`` while it holds its own lock, so that it
/// knows who waits; everything else it calls without the lock:
/// ```swift
/// let (flight, waiter) = state.withLock { state in
///     let flight = state.flight ?? SharedFlight(clock: clock)
///     state.flight = flight
///     return (flight, flight.join(until: deadline))
/// }
/// switch await flight.outcome(of: waiter) { … }
/// ```
/// The request either is made by one of the callers, which hands it over with ``appoint(_:)``, or runs in a task of its
/// own; see ``launch(until:_:orLate:)``. A request that nobody waits for any more goes on, unless the owner ends it in
/// `onLastLeave`.
package final class SharedFlight<Value: Sendable>: Sendable {
    package typealias Outcome = FlightOutcome<Value>
    package typealias WaiterID = UInt64
    private typealias Continuation = CheckedContinuation<Outcome, Never>

    private struct State {
        var machine: SharedFlightStateMachine<Value, Continuation>
        /// Sleeps until the machine's alarm.
        var alarm: Task<Void, Never>?

        /// The alarm, if nobody waits any more.
        mutating func takeIdleAlarm() -> Task<Void, Never>? {
            guard machine.waiterCount == 0, alarm != nil else { return nil }
            defer { alarm = nil }
            return alarm
        }
    }

    let clock: any GatewayClock
    private let onLastLeave: (@Sendable () -> Void)?
    private let state: Locked<State>

    /// Makes a flight that nobody waits for yet.
    ///
    /// - Parameters:
    ///   - clock: the clock that deadlines are measured on.
    ///   - limit: when the request ends by itself; waiters that stay longer need no alarm.
    ///   - onLastLeave: called when the last waiter has been cancelled or its deadline has passed. Others may join
    ///     meanwhile: an owner that ends the request checks ``waiterCount`` while it holds the lock that it joins under.
    package init(
        clock: any GatewayClock, limit: Deadline? = nil, onLastLeave: (@Sendable () -> Void)? = nil
    ) {
        self.clock = clock
        self.onLastLeave = onLastLeave
        state = Locked(State(machine: SharedFlightStateMachine(limit: limit?.instant)))
    }

    /// How many wait.
    package var waiterCount: Int { state.withLock { $0.machine.waiterCount } }

    /// The highest priority of the waiters. It is not lowered when one leaves, only when one is appointed.
    package var priority: CallPriority { state.withLock { $0.machine.priority } }

    // MARK: Waiting

    /// Joins. The caller must then call ``outcome(of:)`` or ``leave(_:)``. Never waits, and calls nothing.
    ///
    /// - Parameters:
    ///   - deadline: when the waiter leaves; `nil` for when the flight ends.
    ///   - priority: how important its call is.
    package func join(until deadline: Deadline? = nil, priority: CallPriority = .normal) -> WaiterID {
        state.withLock { $0.machine.join(until: deadline?.instant, priority: priority) }
    }

    /// Leaves without an outcome.
    package func leave(_ waiter: WaiterID) {
        let alarm = state.withLock { state in
            state.machine.leave(waiter)
            return state.takeIdleAlarm()
        }
        alarm?.cancel()
    }

    /// Waits for the outcome of a waiter that has joined.
    package func outcome(of waiter: WaiterID) async -> Outcome {
        defer { ThreadSanitizer.acquired(self) }
        if let alarm = state.withLock({ $0.machine.alarm(for: waiter) }) { setExpiry(at: alarm) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let told = state.withLock { $0.machine.suspend(waiter, continuation) }
                if let told { continuation.resume(returning: told) }
            }
        } onCancel: {
            tell(.cancelled, to: waiter, isLeaving: true)
        }
    }

    // MARK: Outcomes

    /// Tells the value to all who wait and to all who join from now on. Only the first landing counts.
    ///
    /// - Returns: whether it was the first.
    @discardableResult
    package func land(_ value: Value) -> Bool {
        let (waiters, alarm) = state.withLock { ($0.machine.land(value), $0.takeIdleAlarm()) }
        alarm?.cancel()
        guard let waiters else { return false }
        resume(waiters, .value(value))
        return true
    }

    /// Tells a value to one waiter, unless it was told an outcome already.
    package func tell(_ value: Value, to waiter: WaiterID) {
        tell(.value(value), to: waiter, isLeaving: false)
    }

    /// Tells a value to the waiters whose deadline is no later than an instant.
    package func tell(_ value: Value, dueBy instant: ContinuousClock.Instant) {
        let (waiters, alarm) = state.withLock {
            ($0.machine.tell(value, dueBy: instant), $0.takeIdleAlarm())
        }
        alarm?.cancel()
        resume(waiters, .value(value))
    }

    /// Tells a value to one waiter, the one with the latest deadline: it makes the request from now on, and its deadline
    /// is the limit.
    ///
    /// - Returns: `false` if nobody waits.
    package func appoint(_ value: Value) -> Bool {
        let (appointed, alarm, next) = state.withLock {
            ($0.machine.appoint(value), $0.takeIdleAlarm(), $0.machine.nextAlarm)
        }
        alarm?.cancel()
        guard let appointed else { return false }
        if let next { setExpiry(at: next) }
        if let appointed { resume([appointed], .value(value)) }
        return true
    }

    private func tell(_ outcome: Outcome, to waiter: WaiterID, isLeaving: Bool) {
        let (continuation, alarm, isLast) = state.withLock { state in
            let count = state.machine.waiterCount
            let continuation = state.machine.tell(outcome, to: waiter)
            return (
                continuation, state.takeIdleAlarm(), isLeaving && count > 0 && state.machine.waiterCount == 0
            )
        }
        alarm?.cancel()
        if let continuation { resume([continuation], outcome) }
        if isLast { onLastLeave?() }
    }

    /// A continuation that is resumed before its task has suspended passes its value unseen by the sanitizer.
    private func resume(_ waiters: [Continuation], _ outcome: Outcome) {
        guard !waiters.isEmpty else { return }
        ThreadSanitizer.released(self)
        for waiter in waiters { waiter.resume(returning: outcome) }
    }

    // MARK: Deadlines

    /// Calls a closure at an instant, unless nobody waits by then. One alarm serves all: the earliest counts, and the
    /// closure sets the next.
    package func setAlarm(at instant: ContinuousClock.Instant, _ fire: @escaping @Sendable () -> Void) {
        guard state.withLock({ $0.machine.setAlarm(at: instant) }) else { return }
        let task = Task.detached { [self] in
            do { try await clock.sleep(until: instant) } catch { return }
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
        // Deadlines that are close together are served together.
        if let next { setExpiry(at: max(next, now.adding(.milliseconds(1)))) }
        if isLast { onLastLeave?() }
    }
}

extension SharedFlight {
    /// Runs the work of the flight in a task of its own, without the task-local values and the deadline of the caller, and
    /// gives it up at a deadline, even if it ignores its cancellation.
    ///
    /// - Parameters:
    ///   - deadline: when the work is given up.
    ///   - work: makes the request, and lands the flight.
    ///   - late: lands the flight in place of the work. Both may be called.
    /// - Returns: the task of the work. Cancelling it ends the work, for an owner whose last waiter has left.
    @discardableResult
    package func launch(
        until deadline: Deadline, _ work: @escaping @Sendable () async -> Void,
        orLate late: @escaping @Sendable () -> Void
    ) -> Task<Void, Never> {
        let work = Task.detached(operation: work)
        let limit = Task.detached { [clock] in
            do { try await clock.sleep(until: deadline.instant) } catch { return }
            late()
            work.cancel()
        }
        Task.detached {
            await work.value
            limit.cancel()
        }
        return work
    }
}
