import GatewayCore
import GatewayOfflineQueue

extension QueueStoreConformance {
    func clockBehind(_ store: any QueueStore) throws {
        let ids = try store.add(.conformanceSample { $0.timeToLive = .seconds(100) })
        guard let lease = try store.lease(at: .at(50)).first else { throw Finding(text: "nothing is leased") }
        _ = try store.finish([QueueCompletion(lease, .postponed(until: .at(80)))], now: .at(50))
        // The clock of a board without a battery.
        let past = QueueTime(milliseconds: 5_000)
        try expect(
            store.expire(now: past).isEmpty && store.lease(at: past).isEmpty
                && store.state(ids[0]) == .waiting,
            "an entry that may have been sent is leased while its age is not known")
        let others = try store.add(
            .conformanceSample("2", at: past) { $0.timeToLive = .seconds(10) }, at: past)
        try expect(store.lease(at: past).map(\.id) == others, "a new entry is not leased")
        try expect(store.lease(at: .at(60)).map(\.id) == ids, "an entry is lost")
    }

    func clockAhead(_ store: any QueueStore) throws {
        let ids = try store.add(.conformanceSample { $0.timeToLive = .seconds(100) })
        let ahead = QueueTime.at(14 * 86_400)
        _ = try store.add(.conformanceSample("2", at: ahead), at: ahead)
        try expect(
            store.expire(now: .at(200)).isEmpty && store.state(ids[0]) == .waiting,
            "an entry expires while the clock is behind")
        try expect(store.expire(now: ahead) == ids, "an entry does not expire")
    }

    func repeatWindowAhead(_ store: any QueueStore) throws {
        let ids = try store.add(.conformanceSample { $0.repeatWindow = .seconds(100) })
        guard let lease = try store.lease().first else { throw Finding(text: "nothing is leased") }
        _ = try store.finish([QueueCompletion(lease, .released)], now: .at(0))
        let ahead = QueueTime.at(14 * 86_400)
        _ = try store.add(.conformanceSample("2", at: ahead), at: ahead)
        try expect(
            !store.lease(at: .at(10)).map(\.id).contains(ids[0]) && store.state(ids[0]) == .waiting,
            "the end of a repeat window is known while the clock is behind")
        let leased = try store.lease(QueueLeaseRequest(count: 9, owner: QueueOwner(1), now: ahead))
        try expect(store.state(ids[0]) == .ambiguous, "an entry is not ambiguous")
        try expect(leased.ambiguous == ids, "a lease does not say what became ambiguous")
    }

    func expired(_ store: any QueueStore) throws {
        let ids = try store.add(.conformanceSample { $0.timeToLive = .seconds(100) })
        try expect(store.lease(at: .at(100)).isEmpty, "an expired entry is leased")
        try expect(
            store.expire(now: .at(100)) == ids && store.state(ids[0]) == .expired, "an entry does not expire")
    }

    func parkedAccount(_ store: any QueueStore) throws {
        let (mine, other, renamed) = (QueueAccount("mine"), QueueAccount("other"), QueueAccount("renamed"))
        let ids = try store.add(
            .conformanceSample("1") { $0.account = mine }, .conformanceSample("2") { $0.account = mine },
            .conformanceSample("3") { $0.account = other })
        guard let lease = try store.lease(1).first,
            try store.finish([QueueCompletion(lease, .parked, reason: "401")], now: .at(0)) == [true]
        else { throw Finding(text: "cannot be parked") }
        let later = try store.add(.conformanceSample { $0.account = mine })
        try expect(
            store.lease().map(\.item.account) == [other] && store.counts()[.parked] == 3,
            "an entry of a parked account is leased")
        try expect(store.resume(mine, as: renamed, now: .at(0)) == 3, "not all entries wait again")
        let leases = try store.lease()
        try expect(
            leases.map(\.id) == [ids[0], ids[1]] + later && leases.allSatisfy { $0.item.account == renamed },
            "entries do not have the name of the account")
    }

    func duplicates(_ store: any QueueStore) throws {
        let keyed = { (request: inout QueueRequest) in request.idempotencyKey = "key" }
        let first = try store.add(.conformanceSample("1", keyed))
        try expect(store.add(.conformanceSample("1", keyed)) == first, "an idempotency key has two entries")
        let conflicts = try conflicts(store, with: "1", keyed)
        try expect(
            conflicts == [QueueInsertion](repeating: .conflict(first[0]), count: 3),
            "an idempotency key stands for another request")
        let other = try QueueItem.conformanceSample { request in
            request.idempotencyKey = "key"
            request.account = QueueAccount("other")
        }
        try expect(store.add(other) != first, "accounts share an idempotency key")
        let same = { (request: inout QueueRequest) in request.deduplicationKey = "same" }
        let kept = try store.add(.conformanceSample("3", same))
        try expect(store.add(.conformanceSample("4", same)) == kept, "a deduplication key has two entries")
        let newer = try QueueItem.conformanceSample("5") { request in
            request.deduplicationKey = "same"
            request.supersedes = true
        }
        let results = try store.insert([newer], limits: QueueLimits(), now: .at(0))
        guard case .stored(_, kept, []) = results.first, try store.state(kept[0]) == .superseded else {
            throw Finding(text: "an entry is not superseded")
        }
        let leases = try store.lease()
        let beside = try store.add(.conformanceSample("6", same))
        try expect(
            beside.count == 1 && !leases.map(\.id).contains(beside[0]),
            "an attempt in progress stands for a later request")
        try expect(
            store.add(.conformanceSample("7", same)) == beside,
            "a deduplication key has two entries beside one that is being sent")
        _ = try store.finish(leases.map { QueueCompletion($0, .done) }, now: .at(0))
        try expect(
            store.add(.conformanceSample("1", keyed)) == first
                && self.conflicts(store, with: "1", keyed) == conflicts,
            "the idempotency key of a completed entry is not known")
    }

    /// Adds requests that differ in the method, the path and the body.
    private func conflicts(
        _ store: any QueueStore, with text: String, _ change: (inout QueueRequest) -> Void
    ) throws(QueueError) -> [QueueInsertion] {
        let items = [
            try QueueItem.conformanceSample(text) { request in
                change(&request)
                request.request.method = .put
            },
            try QueueItem.conformanceSample(text) { request in
                change(&request)
                request.request.target = "/v1/items?q=2"
            },
            try QueueItem.conformanceSample(text + " ", change),
        ]
        return try store.insert(items, limits: QueueLimits(), now: .at(0))
    }

    func limits(_ store: any QueueStore) throws {
        let ids = try store.add(
            .conformanceSample("1") { $0.priority = .high }, .conformanceSample("2") { $0.priority = .low })
        var limits = QueueLimits(count: 2)
        let item = try QueueItem.conformanceSample()
        try expect(store.insert([item], limits: limits, now: .at(0)) == [.full], "a limit is not kept")
        limits.policy = .dropLowest
        let low = try QueueItem.conformanceSample { $0.priority = .low }
        try expect(
            store.insert([low], limits: limits, now: .at(0)) == [.full],
            "an entry gives way to one of its own priority")
        let first = try store.insert([item], limits: limits, now: .at(0))
        guard case .stored(_, [], [ids[1]]) = first.first else {
            throw Finding(text: "the lowest entry does not give way")
        }
        limits.policy = .dropOldest
        let second = try store.insert([low], limits: limits, now: .at(0))
        guard case .stored(_, [], [ids[0]]) = second.first else {
            throw Finding(text: "the oldest entry does not give way")
        }
        limits.bytes = 1
        try expect(
            store.insert([.conformanceSample()], limits: limits, now: .at(0)) == [.full]
                && store.counts() == [.waiting: 2, .dropped: 2], "the limit of bytes is not kept")
    }

    func cancelOnce(_ store: any QueueStore) throws {
        let ids = try store.add(.conformanceSample("1"), .conformanceSample("2"))
        try expect(store.cancel(QueueSelection(ids[0]), now: .at(0)) == [ids[0]], "cannot be cancelled")
        try expect(store.cancel(QueueSelection(ids[0]), now: .at(0)) == [], "is cancelled twice")
        try expect(store.lease().map(\.id) == [ids[1]], "a cancelled entry is leased")
        try expect(
            store.cancel(QueueSelection(ids[1]), now: .at(0)) == [], "an attempt in progress is cancelled")
    }
}
