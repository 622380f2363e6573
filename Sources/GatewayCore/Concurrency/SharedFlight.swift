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
package struct SharedFlight<Value: Sendable>: Sendable {
    package typealias Outcome = FlightOutcome<Value>
    package typealias WaiterID = UInt64

    /// A value on the heap: it is kept once for all waiters.
    private final class Box: Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    private let waiters: FlightWaiters
    private var clock: any GatewayClock { waiters.clock }

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
        waiters = FlightWaiters(clock: clock, limit: limit, onLastLeave: onLastLeave)
    }

    /// How many wait.
    package var waiterCount: Int { waiters.count }

    /// The highest priority of the waiters. It is not lowered when one leaves, only when one is appointed.
    package var priority: CallPriority { waiters.priority }

    // MARK: Waiting

    /// Joins. The caller must then call ``outcome(of:)`` or ``leave(_:)``. Never waits, and calls nothing.
    ///
    /// - Parameters:
    ///   - deadline: when the waiter leaves; `nil` for when the flight ends.
    ///   - priority: how important its call is.
    package func join(until deadline: Deadline? = nil, priority: CallPriority = .normal) -> WaiterID {
        waiters.join(until: deadline, priority: priority)
    }

    /// Leaves without an outcome.
    package func leave(_ waiter: WaiterID) { waiters.leave(waiter) }

    /// Waits for the outcome of a waiter that has joined.
    package func outcome(of waiter: WaiterID) async -> Outcome {
        switch await waiters.outcome(of: waiter) {
        // The boxes of a flight are its own.
        case .value(let box): .value(unsafe unsafeDowncast(box, to: Box.self).value)
        case .cancelled: .cancelled
        case .expired: .expired
        }
    }

    // MARK: Outcomes

    /// Tells the value to all who wait and to all who join from now on. Only the first landing counts.
    ///
    /// - Returns: whether it was the first.
    @discardableResult
    package func land(_ value: Value) -> Bool { waiters.land(Box(value)) }

    /// Tells a value to some waiters, unless they were told an outcome already.
    package func tell(_ value: Value, to some: [WaiterID]) {
        if !some.isEmpty { waiters.tell(Box(value), to: some) }
    }

    /// Tells a value to the waiters whose deadline is no later than an instant.
    package func tell(_ value: Value, dueBy instant: ContinuousClock.Instant) {
        waiters.tell(Box(value), dueBy: instant)
    }

    /// Tells a value to one waiter, the one with the latest deadline: it makes the request from now on, and its deadline
    /// is the limit.
    ///
    /// - Returns: `false` if nobody waits.
    package func appoint(_ value: Value) -> Bool { waiters.appoint(Box(value)) }

    /// Calls a closure at an instant, unless nobody waits by then. One alarm serves all: the earliest counts, and the
    /// closure sets the next.
    package func setAlarm(at instant: ContinuousClock.Instant, _ fire: @escaping @Sendable () -> Void) {
        waiters.setAlarm(at: instant, fire)
    }
}

extension SharedFlight: Equatable {
    /// Whether both are the same flight.
    package static func == (a: Self, b: Self) -> Bool { a.waiters === b.waiters }
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
