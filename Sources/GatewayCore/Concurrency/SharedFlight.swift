/// One request that is shared by several waiters.
///
/// A waiter joins, waits, and gets exactly one outcome: the value with which the flight lands, its own cancellation, or
/// the end of its own deadline. A waiter that leaves does not affect the flight or the other waiters.
///
/// The owner stores the flight in its own state and calls ``join(until:priority:)`` while it holds its own lock, so
/// that the number of waiters is consistent with its state. It calls everything else without the lock:
/// ```swift
/// let (flight, waiter) = state.withLock { state in
///     let flight = state.flight ?? SharedFlight(clock: clock)
///     state.flight = flight
///     return (flight, flight.join(until: deadline))
/// }
/// switch await flight.outcome(of: waiter) { … }
/// ```
/// The request is made by one of the callers, which is selected by ``appoint(_:)``, or runs in a separate task; see
/// ``launch(until:_:orLate:)``. A request without waiters continues, unless the owner ends it in `onLastLeave`.
package struct SharedFlight<Value: Sendable>: Sendable {
    package typealias Outcome = FlightOutcome<Value>
    package typealias WaiterID = UInt64

    /// A value on the heap, stored once for all waiters.
    private final class Box: Sendable {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    private let waiters: FlightWaiters
    private var clock: any GatewayClock { waiters.clock }

    /// Creates a flight without waiters.
    ///
    /// - Parameters:
    ///   - clock: the clock for deadlines.
    ///   - limit: when the request ends by itself. Waiters with a later deadline need no alarm.
    ///   - onLastLeave: called when the last waiter was cancelled or its deadline has passed. Other waiters may join
    ///     meanwhile: an owner that ends the request must check ``waiterCount`` while it holds the lock under which it
    ///     joins.
    package init(
        clock: any GatewayClock, limit: Deadline? = nil, onLastLeave: (@Sendable () -> Void)? = nil
    ) {
        waiters = FlightWaiters(clock: clock, limit: limit, onLastLeave: onLastLeave)
    }

    /// The number of waiters.
    package var waiterCount: Int { waiters.count }

    /// The highest priority of the waiters. It is recomputed only by ``appoint(_:)``, not when a waiter leaves.
    package var priority: CallPriority { waiters.priority }

    // MARK: Waiting

    /// Adds a waiter. The caller must then call ``outcome(of:)`` or ``leave(_:)``. Never waits, and calls no other
    /// code.
    ///
    /// - Parameters:
    ///   - deadline: when the waiter leaves; `nil` waits until the flight ends.
    ///   - priority: the priority of the waiter's call.
    package func join(until deadline: Deadline? = nil, priority: CallPriority = .normal) -> WaiterID {
        waiters.join(until: deadline, priority: priority)
    }

    /// Removes a waiter without an outcome.
    package func leave(_ waiter: WaiterID) { waiters.leave(waiter) }

    /// Waits for the outcome of a waiter.
    package func outcome(of waiter: WaiterID) async -> Outcome {
        switch await waiters.outcome(of: waiter) {
        // All boxes of a flight have this type.
        case .value(let box): .value(unsafe unsafeDowncast(box, to: Box.self).value)
        case .cancelled: .cancelled
        case .expired: .expired
        }
    }

    // MARK: Outcomes

    /// Gives the value to all current and future waiters. Only the first call has an effect.
    ///
    /// - Returns: whether it was the first call.
    @discardableResult
    package func land(_ value: Value) -> Bool { waiters.land(Box(value)) }

    /// Gives a value to some waiters, unless they already have an outcome.
    package func tell(_ value: Value, to some: [WaiterID]) {
        if !some.isEmpty { waiters.tell(Box(value), to: some) }
    }

    /// Gives a value to the waiters whose deadline is not later than an instant.
    package func tell(_ value: Value, dueBy instant: ContinuousClock.Instant) {
        waiters.tell(Box(value), dueBy: instant)
    }

    /// Gives a value to the waiter with the latest deadline. It then makes the request, and its deadline becomes the
    /// limit.
    ///
    /// - Returns: `false` if there are no waiters.
    package func appoint(_ value: Value) -> Bool { waiters.appoint(Box(value)) }

    /// Calls a closure at an instant if there are still waiters then. There is only one alarm: the earliest instant is
    /// used, and the closure must set the next alarm.
    package func setAlarm(at instant: ContinuousClock.Instant, _ fire: @escaping @Sendable () -> Void) {
        waiters.setAlarm(at: instant, fire)
    }
}

extension SharedFlight: Equatable {
    /// Whether both are the same flight.
    package static func == (a: Self, b: Self) -> Bool { a.waiters === b.waiters }
}

extension SharedFlight {
    /// Runs the work of the flight in a detached task, without the task-local values and the deadline of the caller.
    /// The work is abandoned at a deadline, even if it ignores its cancellation.
    ///
    /// - Parameters:
    ///   - deadline: when the work is abandoned.
    ///   - work: makes the request and lands the flight.
    ///   - late: lands the flight if the work is late. Both may be called.
    /// - Returns: the task of the work. An owner whose last waiter has left can cancel it.
    @discardableResult
    package func launch(
        until deadline: Deadline, _ work: @escaping @Sendable () async -> Void,
        orLate late: @escaping @Sendable () -> Void
    ) -> Task<Void, Never> {
        let work = Task.detached(operation: work)
        let limit = clock.alarm(at: deadline.instant) {
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
