import GatewayCore

/// A call that may be hedged when its response is slow.
protocol HedgeWaiter: AnyObject, Sendable {
    /// The delay before the hedge has passed. Must not block.
    func delayHasPassed()
}

/// Wakes the calls whose delay has passed. All calls share one sleep of the clock; starting and ending a wait needs no
/// allocation.
final class HedgeTimer: Sendable {
    /// The place of a call in the timer.
    struct Place: Sendable {
        fileprivate let index: Int
    }

    fileprivate struct State {
        /// The calls by their place, until their delay has passed.
        var slots: [(any HedgeWaiter)?] = []
        var free: [Int] = []
        /// The calls by the end of their delay, and where each slot is there.
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

    /// The calls whose delay has not passed.
    var count: Int { state.withLock { $0.calls.count } }

    /// The places that were ever taken at a time.
    var placeCount: Int { state.withLock { $0.slots.count } }

    /// Wakes a call at an instant, unless it is removed before.
    ///
    /// - Returns: its place, which is to be removed exactly once.
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

    /// The call has ended, or its first attempt.
    func remove(_ place: Place) {
        // What is released is released without the lock.
        _ = state.withLock { state -> (any HedgeWaiter)? in
            let call = state.slots[place.index].take()
            if call != nil { state.calls.remove(place.index, &state.positions) }
            state.free.append(place.index)
            return call
        }
    }

    // Detached, so that nothing of the call, such as its deadline, gets into hedges of others.
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
            // Another task sleeps until an earlier instant, or has done so.
            guard state.alarm == alarm else { return (due, nil) }
            state.alarm = state.calls.first?.deadline
            return (due, state.alarm)
        }
        if let next { sleep(until: next) }
        for call in due { call.delayHasPassed() }
    }
}
