import GatewayCore

/// A call that may be hedged if its response is slow.
protocol HedgeWaiter: AnyObject, Sendable {
    /// Called when the delay before the hedge has passed. Must not block.
    func delayHasPassed()
}

/// Notifies calls whose delay has passed. All calls share one sleep of the clock; starting and ending a wait
/// does not allocate.
final class HedgeTimer: Sendable {
    /// The place of a call in the timer.
    struct Place: Sendable {
        fileprivate let index: Int
    }

    fileprivate struct State {
        /// The calls by place, until their delay has passed.
        var slots: [(any HedgeWaiter)?] = []
        var free: [Int] = []
        /// The calls by the end of their delay, and the position of each slot in the heap.
        var calls = DeadlineHeap()
        var positions: [Int] = []
        /// The number of the last call.
        var serial: UInt64 = 0
        /// The earliest instant that a task sleeps until.
        var alarm: ContinuousClock.Instant?
    }

    private let clock: any GatewayClock
    private let state = Locked(State())

    init(clock: any GatewayClock) { self.clock = clock }

    /// The number of calls whose delay has not passed.
    var count: Int { state.withLock { $0.calls.count } }

    /// The maximum number of places used at a time so far.
    var placeCount: Int { state.withLock { $0.slots.count } }

    /// Notifies a call at an instant, unless it is removed before.
    ///
    /// - Returns: its place, which must be removed exactly once.
    func schedule(_ call: any HedgeWaiter, at due: ContinuousClock.Instant) -> Place {
        let (index, isEarliest) = state.withLock { state in
            let index = state.free.popLast() ?? state.slots.count
            if index == state.slots.count { state.slots.append(nil) }
            state.slots[index] = call
            state.serial &+= 1
            state.calls.insert(
                DeadlineHeap.Entry(deadline: due, serial: state.serial, slot: index), &state.positions)
            guard state.alarm.map({ due < $0 }) ?? true else { return (index, false) }
            state.alarm = due
            return (index, true)
        }
        if isEarliest { sleep(until: due) }
        return Place(index: index)
    }

    /// Removes a call that has ended, or whose first attempt has.
    func remove(_ place: Place) {
        // Released outside the lock.
        _ = state.withLock { state -> (any HedgeWaiter)? in
            let call = state.slots[place.index].take()
            if call != nil { state.calls.remove(place.index, &state.positions) }
            state.free.append(place.index)
            return call
        }
    }

    // Detached, so that no task-local value of the call, such as its deadline, is inherited by hedges of
    // other calls.
    private func sleep(until due: ContinuousClock.Instant) {
        Task.detached { [weak self, clock] in
            do { try await clock.sleep(until: due) } catch { return }
            self?.ring(due)
        }
    }

    private func ring(_ alarm: ContinuousClock.Instant) {
        let now = clock.now
        let (due, next) = state.withLock { state -> ([any HedgeWaiter], ContinuousClock.Instant?) in
            var due: [any HedgeWaiter] = []
            while let first = state.calls.first, first.deadline <= now {
                if let call = state.slots[first.slot].take() { due.append(call) }
                state.calls.remove(first.slot, &state.positions)
            }
            // Another task sleeps until an earlier instant, or has already run.
            guard state.alarm == alarm else { return (due, nil) }
            state.alarm = state.calls.first?.deadline
            return (due, state.alarm)
        }
        if let next { sleep(until: next) }
        for call in due { call.delayHasPassed() }
    }
}
