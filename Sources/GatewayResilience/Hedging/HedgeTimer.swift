import GatewayCore

/// What waits in a ``HedgeTimer``.
protocol PendingHedge: Sendable {
    associatedtype Race: HedgeWaiter

    /// The delay has passed. Called with a lock held.
    func begin() -> Race
}

/// A call whose response takes long.
protocol HedgeWaiter: AnyObject, Sendable {
    /// The delay before the hedge has passed. Must not block.
    func delayHasPassed()
}

/// Wakes the calls whose delay has passed. All of them share a sleep of the clock, and one that ends earlier leaves nothing
/// behind: neither costs an allocation.
final class HedgeTimer<Call: PendingHedge>: Sendable {
    /// The place of a call in the timer.
    struct Place: Sendable {
        fileprivate let index: Int
    }

    fileprivate struct Slot {
        var call: Call?
        /// The race of a call whose delay has passed.
        var race: Call.Race?
        /// Where the slot is in the heap.
        var position = 0
    }

    fileprivate struct Entry {
        let due: ContinuousClock.Instant
        let slot: Int
    }

    fileprivate struct State {
        var slots: [Slot] = []
        var free: [Int] = []
        /// A binary heap: no entry is due before its parent.
        var entries: [Entry] = []
        /// The earliest instant that a task sleeps until.
        var alarm: ContinuousClock.Instant?
    }

    private let clock: any GatewayClock
    private let state = Locked(State())

    init(clock: any GatewayClock) { self.clock = clock }

    /// The calls whose delay has not passed.
    var count: Int { state.withLock { $0.entries.count } }

    /// The places that were ever taken at a time.
    var placeCount: Int { state.withLock { $0.slots.count } }

    /// Wakes a call at an instant, unless it is removed before.
    ///
    /// - Returns: its place, which is to be removed exactly once.
    func schedule(_ call: Call, at due: ContinuousClock.Instant) -> Place {
        let (index, isEarliest) = state.withLock { state in
            let index = state.free.popLast() ?? state.slots.count
            if index == state.slots.count { state.slots.append(Slot()) }
            state.slots[index].call = call
            state.push(Entry(due: due, slot: index))
            guard state.alarm.map({ due < $0 }) ?? true else { return (index, false) }
            state.alarm = due
            return (index, true)
        }
        if isEarliest { sleep(until: due) }
        return Place(index: index)
    }

    /// The call has ended, or its first attempt.
    ///
    /// - Returns: its race; `nil` if the delay has not passed.
    func remove(_ place: Place) -> Call.Race? {
        // What is released is released without the lock.
        let (race, _) = state.withLock { state -> (Call.Race?, Call?) in
            let index = place.index
            let (race, call) = (state.slots[index].race, state.slots[index].call)
            state.slots[index].race = nil
            state.slots[index].call = nil
            if call != nil { state.remove(at: state.slots[index].position) }
            state.free.append(index)
            return (race, call)
        }
        return race
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
        let (due, next) = state.withLock { state -> ([Call.Race], ContinuousClock.Instant?) in
            var due: [Call.Race] = []
            while let first = state.entries.first, first.due <= now {
                if let race = state.slots[first.slot].call?.begin() {
                    state.slots[first.slot].race = race
                    due.append(race)
                }
                state.slots[first.slot].call = nil
                state.remove(at: 0)
            }
            // Another task sleeps until an earlier instant, or has done so.
            guard state.alarm == alarm else { return (due, nil) }
            state.alarm = state.entries.first?.due
            return (due, state.alarm)
        }
        if let next { sleep(until: next) }
        for race in due { race.delayHasPassed() }
    }
}

extension HedgeTimer.State {
    fileprivate mutating func push(_ entry: HedgeTimer.Entry) {
        entries.append(entry)
        rise(from: entries.count - 1)
    }

    fileprivate mutating func remove(at position: Int) {
        guard let last = entries.popLast(), position < entries.count else { return }
        entries[position] = last
        sink(from: position)
        rise(from: position)
    }

    /// Puts an entry where it belongs, if that is above.
    private mutating func rise(from position: Int) {
        var position = position
        while position > 0, entries[position].due < entries[(position - 1) / 2].due {
            swap(position, (position - 1) / 2)
            position = (position - 1) / 2
        }
        slots[entries[position].slot].position = position
    }

    /// Puts an entry where it belongs, if that is below.
    private mutating func sink(from position: Int) {
        var position = position
        while true {
            var least = position
            for child in 2 * position + 1...2 * position + 2
            where child < entries.count && entries[child].due < entries[least].due {
                least = child
            }
            slots[entries[position].slot].position = position
            guard least != position else { return }
            swap(position, least)
            position = least
        }
    }

    private mutating func swap(_ one: Int, _ other: Int) {
        entries.swapAt(one, other)
        slots[entries[one].slot].position = one
        slots[entries[other].slot].position = other
    }
}
