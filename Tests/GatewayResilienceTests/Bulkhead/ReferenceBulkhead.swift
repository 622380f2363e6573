import GatewayCore

@testable import GatewayResilience

/// A bulkhead that keeps its waiters in one array and searches all of them for each answer: no lists, no heaps, no counts.
/// Slow and independent of ``BulkheadStateMachine``. Times are milliseconds, origins and waiters are numbers.
struct ReferenceBulkhead {
    struct Waiter {
        let id: Int
        let origin: Int
        var priority: Int
        var rank: Int
        /// When it got its rank.
        var entered: Int
        /// When it came, or its priority rose.
        var since: Int
        var stamp: Int
        let arrival: Int
        let deadline: Int?

        /// Its place among those of its rank.
        var order: (Int, Int, Int) { (entered, since, stamp) }
    }

    struct Origin {
        var limit: Int
        var reported: Int
        var active = 0
        /// How long calls hold a permit, in microseconds.
        var holdTime: Int?
        var isOverloaded = false
        var turn: (rank: Int, stamp: Int)?
    }

    /// What becomes of a call.
    enum Outcome: Equatable {
        case admitted, waits, full, displaced, hopeless, expired
    }

    /// What follows for a waiter.
    struct Action: Equatable {
        let waiter: Int
        let outcome: Outcome
    }

    /// What is reported.
    enum Report: Equatable {
        case overloaded(Int, limit: Int, waiting: Int)
        case recovered(Int)
        case limit(Int, from: Int, to: Int)
    }

    let policy: BulkheadPolicy
    private let ageing: Int
    private(set) var origins: [Origin]
    private(set) var waiters: [Waiter] = []
    private var stamps = 0
    var actions: [Action] = []
    var reports: [Report] = []

    init(policy: BulkheadPolicy, perOrigin: Int, ageing: Int, origins: Int) {
        self.policy = policy
        self.ageing = ageing
        self.origins = Array(repeating: Origin(limit: perOrigin, reported: perOrigin), count: origins)
    }

    private mutating func stamp() -> Int {
        stamps += 1
        return stamps
    }
    private var active: Int {
        var count = 0
        for origin in origins { count += origin.active }
        return count
    }
    private func waiters(of key: Int) -> [Waiter] { waiters.filter { $0.origin == key } }
    /// How many wait for an origin with a rank or a higher one.
    private func count(_ key: Int, from rank: Int = 0) -> Int {
        var count = 0
        for waiter in waiters where waiter.origin == key && waiter.rank >= rank { count += 1 }
        return count
    }
    /// In microseconds.
    private func wait(behind ahead: Int, _ key: Int) -> Int? {
        guard policy.shedsHopeless, let time = origins[key].holdTime else { return nil }
        return time * (ahead + 1) / origins[key].limit
    }

    // MARK: Events

    mutating func enterNow(_ key: Int) -> Bool {
        guard active < policy.inAll, origins[key].active < origins[key].limit else { return false }
        origins[key].active += 1
        return true
    }

    mutating func enter(
        _ id: Int, _ key: Int, _ priority: Int, isReplay: Bool, deadline: Int?, at now: Int
    ) -> Outcome {
        let rank = isReplay ? 5 : priority
        advance(to: now)
        if enterNow(key) { return .admitted }
        if let deadline {
            if deadline <= now { return .expired }
            let ahead = count(key, from: policy.newestFirst && !isReplay ? rank + 1 : rank)
            if let wait = wait(behind: ahead, key), now * 1_000 + wait > deadline * 1_000 {
                turnedAway(key)
                return .hopeless
            }
        }
        let others = waiters.filter { $0.rank < 5 }
        let near = others.filter { $0.origin == key }
        let candidates =
            near.count >= policy.waitingPerOrigin
            ? near : others.count >= policy.waitingInAll ? others : nil
        if !isReplay, let candidates {
            guard let lowest = candidates.map(\.rank).min(),
                lowest < priority || lowest == priority && policy.newestFirst,
                let victim = last(candidates.filter { $0.rank == lowest })
            else {
                turnedAway(key)
                return .full
            }
            reject(victim, .displaced)
        }
        let mark = stamp()
        waiters.append(
            Waiter(
                id: id, origin: key, priority: priority, rank: rank, entered: now, since: now,
                stamp: mark, arrival: mark, deadline: deadline))
        settle(key)
        shed(key, at: now)
        return .waits
    }

    mutating func withdraw(_ id: Int) -> Bool {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return false }
        settle(waiters.remove(at: index).origin)
        return true
    }

    mutating func leave(_ key: Int, held: Int?, at now: Int) {
        advance(to: now)
        origins[key].active -= 1
        if let held {
            let time = origins[key].holdTime ?? held
            origins[key].holdTime = time + (held - time) / 8
        }
        settle(key)
        admit(at: now)
        shed(key, at: now)
    }

    mutating func raise(_ id: Int, to priority: Int, at now: Int) {
        advance(to: now)
        guard let index = waiters.firstIndex(where: { $0.id == id }), waiters[index].priority < priority
        else {
            return
        }
        waiters[index].priority = priority
        guard waiters[index].rank < priority else { return }
        waiters[index].rank = priority
        (waiters[index].entered, waiters[index].since, waiters[index].stamp) = (now, now, stamp())
        settle(waiters[index].origin)
        shed(waiters[index].origin, at: now)
    }

    mutating func setLimit(_ limit: Int, _ key: Int, at now: Int) {
        advance(to: now)
        let limit = min(max(1, limit), policy.inAll)
        origins[key].limit = limit
        let old = origins[key].reported
        if limit != old, limit >= 2 * old || 2 * limit <= old {
            reports.append(.limit(key, from: old, to: limit))
            origins[key].reported = limit
        }
        settle(key)
        admit(at: now)
        shed(key, at: now)
    }

    mutating func empty(_ key: Int, where isMeant: (Int) -> Bool) -> Set<Int> {
        let meant = waiters(of: key).filter { isMeant($0.id) }
        waiters.removeAll { $0.origin == key && isMeant($0.id) }
        settle(key)
        return Set(meant.map(\.id))
    }

    mutating func expire(at now: Int) {
        advance(to: now)
        let late = waiters.filter { $0.deadline.map { $0 <= now } ?? false }
        for waiter in late.sorted(by: { ($0.deadline ?? 0, $0.arrival) < ($1.deadline ?? 0, $1.arrival) }) {
            reject(waiter, .expired)
        }
    }

    // MARK: Rules

    /// One waiter at a time gets its next rank, in the order of time.
    private mutating func advance(to now: Int) {
        while true {
            var next = -1
            for (index, waiter) in waiters.enumerated()
            where waiter.rank < 4 && waiter.entered + ageing <= now {
                if next < 0 || waiter.order < waiters[next].order { next = index }
            }
            guard next >= 0 else { return }
            waiters[next].rank += 1
            waiters[next].entered += ageing
            settle(waiters[next].origin)
        }
    }

    private mutating func admit(at now: Int) {
        while active < policy.inAll {
            // The highest rank; of several origins the one whose turn is the oldest.
            var best: (key: Int, rank: Int, stamp: Int)?
            for (key, origin) in origins.enumerated() {
                guard let turn = origin.turn else { continue }
                if let best, (best.rank, -best.stamp) >= (turn.rank, -turn.stamp) { continue }
                best = (key, turn.rank, turn.stamp)
            }
            guard let (key, rank, _) = best, let next = first(waiters(of: key).filter { $0.rank == rank })
            else { return }
            origins[key].turn = nil
            if let deadline = next.deadline, deadline <= now {
                reject(next, .expired)
                continue
            }
            waiters.removeAll { $0.id == next.id }
            origins[key].active += 1
            actions.append(Action(waiter: next.id, outcome: .admitted))
            settle(key)
        }
    }

    /// The one that is served first.
    private func first(_ some: [Waiter]) -> Waiter? {
        policy.newestFirst && some.first.map { $0.rank < 4 } == true
            ? some.max { $0.order < $1.order } : some.min { $0.order < $1.order }
    }

    /// The one that is served last.
    private func last(_ some: [Waiter]) -> Waiter? {
        policy.newestFirst && some.first.map { $0.rank < 4 } == true
            ? some.min { $0.order < $1.order } : some.max { $0.order < $1.order }
    }

    private mutating func shed(_ key: Int, at now: Int) {
        var rank = 5
        while rank >= 0, let wait = wait(behind: count(key, from: rank + 1), key) {
            var hopeless: [Waiter] = []
            for waiter in waiters where waiter.origin == key && waiter.rank == rank {
                if let deadline = waiter.deadline, now * 1_000 + wait > deadline * 1_000 {
                    hopeless.append(waiter)
                }
            }
            if hopeless.count > 1 {
                hopeless.sort { ($0.deadline ?? 0, $0.arrival) < ($1.deadline ?? 0, $1.arrival) }
            }
            for waiter in hopeless { reject(waiter, .hopeless) }
            rank -= 1
        }
    }

    private mutating func reject(_ waiter: Waiter, _ reason: Outcome) {
        if reason != .expired { turnedAway(waiter.origin) }
        waiters.removeAll { $0.id == waiter.id }
        actions.append(Action(waiter: waiter.id, outcome: reason))
        settle(waiter.origin)
    }

    private mutating func turnedAway(_ key: Int) {
        guard !origins[key].isOverloaded else { return }
        origins[key].isOverloaded = true
        reports.append(.overloaded(key, limit: origins[key].limit, waiting: count(key)))
    }

    private mutating func settle(_ key: Int) {
        var best: Int?
        for waiter in waiters where waiter.origin == key { best = max(best ?? 0, waiter.rank) }
        let turn = origins[key].active < origins[key].limit ? best : nil
        if turn != origins[key].turn?.rank {
            let mark = stamp()
            origins[key].turn = turn.map { ($0, mark) }
        }
        if origins[key].isOverloaded, best == nil, origins[key].active * 4 <= origins[key].limit * 3 {
            origins[key].isOverloaded = false
            reports.append(.recovered(key))
        }
    }
}
