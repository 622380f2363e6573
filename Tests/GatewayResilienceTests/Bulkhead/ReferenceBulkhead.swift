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
        var held: [Int] = []
        var isOverloaded = false
        var turn: (rank: Int, stamp: Int)?
    }

    let policy: BulkheadPolicy
    private let perOrigin: Int
    private let ageing: Int
    private(set) var origins: [Int: Origin] = [:]
    private(set) var waiters: [Waiter] = []
    private var stamps = 0
    /// What follows, as text.
    var log: [String] = []
    /// What is reported, as text.
    var reports: [String] = []

    init(policy: BulkheadPolicy, perOrigin: Int, ageing: Int) {
        self.policy = policy
        self.perOrigin = perOrigin
        self.ageing = ageing
    }

    var active: Int { origins.values.map(\.active).reduce(0, +) }
    private mutating func stamp() -> Int {
        stamps += 1
        return stamps
    }
    private func origin(_ key: Int) -> Origin {
        origins[key] ?? Origin(limit: perOrigin, reported: perOrigin)
    }
    private func waiters(of key: Int) -> [Waiter] { waiters.filter { $0.origin == key } }
    private func holdTime(_ key: Int) -> Int? {
        let held = origin(key).held
        return held.first.map { first in held.dropFirst().reduce(first) { $0 + ($1 - $0) / 8 } }
    }
    /// In microseconds.
    private func wait(behind ahead: Int, _ key: Int) -> Int? {
        guard policy.shedsHopeless, let time = holdTime(key) else { return nil }
        return time * (ahead + 1) / origin(key).limit
    }

    // MARK: Events

    mutating func enterNow(_ key: Int) -> Bool {
        guard active < policy.inAll, origin(key).active < origin(key).limit else { return false }
        change(key) { $0.active += 1 }
        return true
    }

    mutating func enter(_ id: Int, _ key: Int, _ priority: Int, deadline: Int?, at now: Int) -> String {
        advance(to: now)
        if enterNow(key) { return "admitted" }
        if let deadline {
            if deadline <= now { return "expired" }
            let ahead = waiters(of: key).count {
                policy.newestFirst ? $0.rank > priority : $0.rank >= priority
            }
            if let wait = wait(behind: ahead, key), now * 1_000 + wait > deadline * 1_000 {
                turnedAway(key)
                return "hopeless"
            }
        }
        let candidates =
            waiters(of: key).count >= policy.waitingPerOrigin
            ? waiters(of: key) : waiters.count >= policy.waitingInAll ? waiters : nil
        if let candidates {
            guard let lowest = candidates.map(\.rank).min(),
                lowest < priority || lowest == priority && policy.newestFirst,
                let victim = last(candidates.filter { $0.rank == lowest })
            else {
                turnedAway(key)
                return "full"
            }
            reject(victim, "displaced")
        }
        let mark = stamp()
        waiters.append(
            Waiter(
                id: id, origin: key, priority: priority, rank: priority, entered: now, since: now,
                stamp: mark,
                arrival: mark, deadline: deadline))
        settle(key)
        shed(key, at: now)
        return "waits"
    }

    mutating func withdraw(_ id: Int) -> Bool {
        guard let index = waiters.firstIndex(where: { $0.id == id }) else { return false }
        settle(waiters.remove(at: index).origin)
        return true
    }

    mutating func leave(_ key: Int, held: Int?, at now: Int) {
        advance(to: now)
        change(key) {
            $0.active -= 1
            if let held { $0.held.append(held) }
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
        change(key) { $0.limit = limit }
        let (old, new) = (origin(key).reported, origin(key).limit)
        if new != old, new >= 2 * old || 2 * new <= old {
            reports.append("\(key): limit \(old) to \(new)")
            change(key) { $0.reported = new }
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
            reject(waiter, "expired")
        }
    }

    // MARK: Rules

    /// One waiter at a time gets its next rank, in the order of time.
    private mutating func advance(to now: Int) {
        while true {
            let due = waiters.indices.filter { waiters[$0].rank < 4 && waiters[$0].entered + ageing <= now }
            guard let next = due.min(by: { waiters[$0].order < waiters[$1].order }) else { return }
            waiters[next].rank += 1
            waiters[next].entered += ageing
            settle(waiters[next].origin)
        }
    }

    private mutating func admit(at now: Int) {
        while active < policy.inAll {
            let ready = origins.filter { $0.value.turn != nil }
            guard
                let key = ready.max(by: { a, b in
                    let (a, b) = (a.value.turn ?? (0, 0), b.value.turn ?? (0, 0))
                    return a.rank != b.rank ? a.rank < b.rank : a.stamp > b.stamp
                })?.key, let rank = origins[key]?.turn?.rank,
                let next = first(waiters(of: key).filter { $0.rank == rank })
            else { return }
            change(key) { $0.turn = nil }
            if let deadline = next.deadline, deadline <= now {
                reject(next, "expired")
                continue
            }
            waiters.removeAll { $0.id == next.id }
            change(key) { $0.active += 1 }
            log.append("admit \(next.id)")
            settle(key)
        }
    }

    /// The one that is served first.
    private func first(_ some: [Waiter]) -> Waiter? {
        policy.newestFirst && some.first?.rank != 4
            ? some.max { $0.order < $1.order } : some.min { $0.order < $1.order }
    }

    /// The one that is served last.
    private func last(_ some: [Waiter]) -> Waiter? {
        policy.newestFirst && some.first?.rank != 4
            ? some.min { $0.order < $1.order } : some.max { $0.order < $1.order }
    }

    private mutating func shed(_ key: Int, at now: Int) {
        for rank in (0...4).reversed() {
            let ahead = waiters(of: key).count { $0.rank > rank }
            guard let wait = wait(behind: ahead, key) else { return }
            let hopeless = waiters(of: key).filter { waiter in
                waiter.rank == rank && waiter.deadline.map { now * 1_000 + wait > $0 * 1_000 } ?? false
            }
            let order = hopeless.sorted {
                ($0.deadline ?? 0, $0.arrival) < ($1.deadline ?? 0, $1.arrival)
            }
            for waiter in order { reject(waiter, "hopeless") }
        }
    }

    private mutating func reject(_ waiter: Waiter, _ reason: String) {
        if reason != "expired" { turnedAway(waiter.origin) }
        waiters.removeAll { $0.id == waiter.id }
        log.append("\(reason) \(waiter.id)")
        settle(waiter.origin)
    }

    private mutating func turnedAway(_ key: Int) {
        guard !origin(key).isOverloaded else { return }
        change(key) { $0.isOverloaded = true }
        reports.append("\(key): overloaded, \(origin(key).limit), \(waiters(of: key).count)")
    }

    private mutating func settle(_ key: Int) {
        let state = origin(key)
        let best = waiters(of: key).map(\.rank).max()
        let turn = state.active < state.limit ? best : nil
        if turn != state.turn?.rank {
            let mark = stamp()
            change(key) { $0.turn = turn.map { ($0, mark) } }
        }
        if state.isOverloaded, best == nil, state.active * 4 <= state.limit * 3 {
            change(key) { $0.isOverloaded = false }
            reports.append("\(key): recovered")
        }
    }

    private mutating func change(_ key: Int, _ body: (inout Origin) -> Void) {
        var state = origin(key)
        body(&state)
        origins[key] = state
    }
}
