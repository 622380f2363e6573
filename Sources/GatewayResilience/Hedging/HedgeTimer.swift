import GatewayCore

/// A call whose response takes long.
protocol HedgeWaiter: AnyObject, Sendable {
    /// The delay before the hedge has passed. Must not block.
    func delayHasPassed()
}

/// Wakes the calls whose delay has passed. All of them share a sleep of the clock: a call that ends earlier costs no task
/// of its own.
final class HedgeTimer: Sendable {
    fileprivate struct Entry {
        let due: ContinuousClock.Instant
        let waiter: any HedgeWaiter
    }

    fileprivate struct State {
        /// A binary heap: no entry is due before its parent.
        var entries: [Entry] = []
        /// The earliest instant that a task sleeps until.
        var alarm: ContinuousClock.Instant?
    }

    private let clock: any GatewayClock
    private let state = Locked(State())

    init(clock: any GatewayClock) { self.clock = clock }

    /// The calls that are kept until their delay has passed, whether they have ended or not.
    var count: Int { state.withLock { $0.entries.count } }

    /// Wakes a call at an instant.
    func schedule(_ waiter: any HedgeWaiter, at due: ContinuousClock.Instant) {
        let isEarliest = state.withLock { state in
            state.push(Entry(due: due, waiter: waiter))
            guard state.alarm.map({ due < $0 }) ?? true else { return false }
            state.alarm = due
            return true
        }
        if isEarliest { sleep(until: due) }
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
        let (due, next) = state.withLock { state -> ([Entry], ContinuousClock.Instant?) in
            var due: [Entry] = []
            while let first = state.entries.first, first.due <= now { due.append(state.pop() ?? first) }
            // Another task sleeps until an earlier instant, or has done so.
            guard state.alarm == alarm else { return (due, nil) }
            state.alarm = state.entries.first?.due
            return (due, state.alarm)
        }
        if let next { sleep(until: next) }
        for entry in due { entry.waiter.delayHasPassed() }
    }
}

extension HedgeTimer.State {
    fileprivate mutating func push(_ entry: HedgeTimer.Entry) {
        entries.append(entry)
        var index = entries.count - 1
        while index > 0, entries[index].due < entries[(index - 1) / 2].due {
            entries.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    /// Takes the entry that is due first.
    fileprivate mutating func pop() -> HedgeTimer.Entry? {
        guard let first = entries.first, let last = entries.popLast() else { return nil }
        guard !entries.isEmpty else { return first }
        entries[0] = last
        var index = 0
        while true {
            var least = index
            for child in 2 * index + 1...2 * index + 2
            where child < entries.count && entries[child].due < entries[least].due {
                least = child
            }
            guard least != index else { return first }
            entries.swapAt(index, least)
            index = least
        }
    }
}
