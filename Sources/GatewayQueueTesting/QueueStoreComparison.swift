import GatewayCore
package import GatewayOfflineQueue

/// Runs the same random operations on a store and on the one in memory, and notes the first difference.
package struct QueueStoreComparison {
    private var reference = MemoryQueueStore()
    private let store: any QueueStore
    private var counter: UInt64
    private var now = QueueTime.conformanceStart
    private var leases: [QueueLease] = []
    private var keys = 0
    /// Whether the clock jumps far ahead: nothing expires after that.
    private let jumpsAhead: Bool
    /// Whether many entries that are alike go through the store together.
    private let isWide: Bool
    /// How many operations of each kind changed something.
    package private(set) var effects: [String: Int] = [:]

    package init(_ store: any QueueStore, seed: UInt64) {
        self.store = store
        counter = seed &* 0x1234_5678_9ABC_DEF1
        jumpsAhead = seed % 3 == 0
        isWide = seed % 2 == 0
    }

    private mutating func random(_ bound: Int) -> Int {
        counter &+= SplitMix64.increment
        return Int(SplitMix64.scatter(counter) % UInt64(bound))
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[random(elements.count)] }

    private mutating func note(_ name: String, _ hadEffect: Bool) {
        if hadEffect { effects[name, default: 0] += 1 }
    }

    /// - Returns: what differs; `nil` if nothing does.
    package mutating func run(steps: Int) throws(QueueError) -> String? {
        // A store may begin with any number.
        let first = [try QueueItem.conformanceSample("first", at: now)]
        guard case .stored(let id, _, _)? = try store.insert(first, limits: QueueLimits(), now: now).first
        else { return "the first entry is not stored" }
        reference = MemoryQueueStore(after: QueueEntry.ID(id.rawValue - 1))
        _ = reference.insert(first, limits: QueueLimits(), now: now)
        for step in 0..<steps {
            moveClock()
            if let operation = try self.step() { return "step \(step): \(operation)" }
            // To read many entries takes long.
            if isWide, step % 4 != 0 { continue }
            let all = QueueSelection()
            let (mine, other) = (reference.entries(all), try store.entries(all))
            if mine != other {
                let pair = zip(mine, other).first { $0 != $1 }
                return
                    "step \(step): entries differ: \(pair.map { "\($0)" } ?? "\(mine.count), \(other.count)")"
            }
            if reference.counts() != (try store.counts()) { return "step \(step): counts" }
            if reference.outlook() != (try store.outlook()) { return "step \(step): outlook" }
        }
        return nil
    }

    private mutating func moveClock() {
        switch random(60) {
        case 0 where jumpsAhead: now = now.adding(.seconds(-14 * 86_400))
        case 1 where jumpsAhead: now = now.adding(.seconds(14 * 86_400))
        case 2..<6: now = now.adding(.seconds(-random(100)))
        case 6..<12: now = now.adding(.seconds(random(40_000)))
        default: now = now.adding(.milliseconds(random(5_000)))
        }
    }

    private mutating func item() throws(QueueError) -> QueueItem {
        let accounts = [nil, nil, QueueAccount("a"), QueueAccount("b")]
        let (account, order, same) = (pick(accounts), random(isWide ? 40 : 6), random(isWide ? 40 : 12))
        let priority = isWide && random(20) > 0 ? .normal : pick(CallPriority.all)
        let life = Int64(1 + random(50_000))
        let window = isWide && random(20) > 0 ? 15_000 : Int64(random(20_000))
        let isRepeated = random(12) == 0
        if !isRepeated { keys += 1 }
        let key = "key-\(keys)"
        let size = random(300)
        let isLast = random(2) == 0
        return try .conformanceSample(String(repeating: "x", count: size), at: now) { request in
            request.account = account
            request.orderingKey = order < 3 ? "order-\(order)" : nil
            request.deduplicationKey = same < 4 ? "same-\(same)" : nil
            request.supersedes = same < 4 && isLast
            request.priority = priority
            request.timeToLive = .seconds(life)
            request.repeatWindow = .seconds(window)
            request.idempotencyKey = key
        }
    }

    private mutating func step() throws(QueueError) -> String? {
        switch random(16) {
        case 0..<5:
            var items: [QueueItem] = []
            for _ in 0...random(isWide ? 30 : 3) { items.append(try item()) }
            let limits = QueueLimits(
                count: isWide ? 120 : 30, bytes: isWide ? 26_000 : 6_000,
                policy: pick([.refuse, .dropOldest, .dropLowest]))
            let results = (
                reference.insert(items, limits: limits, now: now),
                try store.insert(items, limits: limits, now: now)
            )
            for result in results.0 {
                switch result {
                case .stored(_, let superseded, let dropped):
                    note("superseded", !superseded.isEmpty)
                    note("dropped", !dropped.isEmpty)
                case .duplicate: note("duplicate", true)
                case .conflict: note("conflict", true)
                default: note("full", true)
                }
            }
            return results.0 == results.1 ? nil : "insert: \(results)"
        case 5..<8: return try lease()
        case 8..<12: return try finish()
        case 12: return try cancelOrRetry()
        case 13:
            let account = pick([QueueAccount("a"), QueueAccount("b")])
            let name = pick([nil, nil, QueueAccount("a"), QueueAccount("b")])
            let results = (
                reference.resume(account, as: name, now: now), try store.resume(account, as: name, now: now)
            )
            note("resume", results.0 > 0)
            return results.0 == results.1 ? nil : "resume: \(results)"
        case 14:
            let results = (reference.expire(now: now), try store.expire(now: now))
            note("expire", !results.0.isEmpty)
            return results.0 == results.1 ? nil : "expire: \(results)"
        default:
            let owners: Set = [QueueOwner(UInt64.max - UInt64(random(3)))]
            let results = (
                reference.reclaim(from: owners, now: now), try store.reclaim(from: owners, now: now)
            )
            note("reclaim", !results.0.isEmpty)
            let time = now.adding(.seconds(-20_000))
            let pruned = (reference.prune(changedBefore: time), try store.prune(changedBefore: time))
            note("prune", pruned.0 > 0)
            return results.0 == results.1 && pruned.0 == pruned.1 ? nil : "reclaim: \(results), \(pruned)"
        }
    }

    private mutating func lease() throws(QueueError) -> String? {
        // Owners above Int64.max, as random ones are.
        var request = QueueLeaseRequest(
            count: 1 + random(isWide ? 40 : 5), owner: QueueOwner(UInt64.max - UInt64(random(3))), now: now)
        request.isNewestFirst = random(4) == 0
        request.ageing = random(2) == 0 ? .seconds(600) : nil
        if random(3) == 0 { request.skippedAccounts = [QueueAccount("a")] }
        if random(4) == 0 {
            request.skippedEntries = Set(reference.entries(QueueSelection()).suffix(random(9)).map(\.id))
        }
        let results = (reference.lease(request), try store.lease(request))
        leases += results.0.leases
        note("lease", !results.0.leases.isEmpty)
        note("repeat", results.0.leases.contains(where: \.wasSentBefore))
        note("ambiguous", !results.0.ambiguous.isEmpty)
        return results.0 == results.1 ? nil : "lease: \(results)"
    }

    private mutating func finish() throws(QueueError) -> String? {
        guard !leases.isEmpty else { return nil }
        var completions: [QueueCompletion] = []
        var start = random(leases.count)
        for _ in 0...random(isWide ? 30 : 3) {
            let lease = isWide ? leases[start % leases.count] : pick(leases)
            start += random(10) == 0 ? 2 : 1
            let until = now.adding(.seconds(random(5_000)))
            let isPlain = isWide && random(8) > 0
            let result = pick(
                [.done, .done, .postponed(until: until), .released, .parked, .poison]
                    as [QueueCompletion.Result])
            let (wasSent, reason) = (random(2) == 0, pick([nil, "503"]))
            var completion =
                isPlain
                ? QueueCompletion(lease, .done)
                : QueueCompletion(lease, result, mayHaveBeenSent: wasSent, reason: reason)
            if !completion.mayHaveBeenSent { completion.wasBegun = random(2) == 0 }
            completions.append(completion)
        }
        // Old leases are mostly of no use.
        if isWide, leases.count > 60 { leases.removeFirst(30) }
        let results = (
            reference.finish(completions, now: now), try store.finish(completions, now: now)
        )
        note("finish", results.0.contains(true))
        note("fenced", results.0.contains(false))
        return results.0 == results.1 ? nil : "finish: \(results)"
    }

    private mutating func cancelOrRetry() throws(QueueError) -> String? {
        let ids = reference.entries(QueueSelection()).map(\.id)
        guard !ids.isEmpty else { return nil }
        let id = pick(ids)
        if random(2) == 0 {
            let results = (reference.retry(id, now: now), try store.retry(id, now: now))
            note("retry", results.0)
            return results.0 == results.1 ? nil : "retry: \(results)"
        }
        var selection = QueueSelection()
        switch random(4) {
        case 0: selection.deduplicationKey = "same-1"
        case 1:
            selection.createdBefore = now.adding(.seconds(-5_000))
            selection.limit = 3
        default: selection.ids = [id]
        }
        let results = (reference.cancel(selection, now: now), try store.cancel(selection, now: now))
        note("cancel", !results.0.isEmpty)
        return results.0 == results.1 ? nil : "cancel: \(results)"
    }
}
