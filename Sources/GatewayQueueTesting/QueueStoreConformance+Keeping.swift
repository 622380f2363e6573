import GatewayCore
import GatewayOfflineQueue

extension QueueStoreConformance {
    func clockBehind(_ store: any QueueStore) throws(QueueError) -> [String] {
        let ids = try store.add(.conformanceSample { $0.timeToLive = .seconds(100) })
        guard let lease = try store.lease(at: .at(50)).first else { return ["nothing is leased"] }
        _ = try store.finish([QueueCompletion(lease, .postponed(until: .at(80)))], now: .at(50))
        // The clock of a board without a battery.
        let past = QueueTime(milliseconds: 5_000)
        guard try store.expire(now: past).isEmpty, try store.lease(at: past).isEmpty,
            try store.state(ids[0]) == .waiting
        else { return ["an entry that may have been sent is leased while its age is not known"] }
        let others = try store.add(
            .conformanceSample("2", at: past) { $0.timeToLive = .seconds(10) }, at: past)
        guard try store.lease(at: past).map(\.id) == others else { return ["a new entry is not leased"] }
        guard try store.lease(at: .at(60)).map(\.id) == ids else { return ["an entry is lost"] }
        return []
    }

    func clockAhead(_ store: any QueueStore) throws(QueueError) -> [String] {
        let ids = try store.add(.conformanceSample { $0.timeToLive = .seconds(100) })
        let ahead = QueueTime.at(14 * 86_400)
        _ = try store.add(.conformanceSample("2", at: ahead), at: ahead)
        guard try store.expire(now: .at(200)).isEmpty, try store.state(ids[0]) == .waiting else {
            return ["an entry expires while the clock is behind"]
        }
        guard try store.expire(now: ahead) == ids else { return ["an entry does not expire"] }
        return []
    }

    func repeatWindowAhead(_ store: any QueueStore) throws(QueueError) -> [String] {
        let ids = try store.add(.conformanceSample { $0.repeatWindow = .seconds(100) })
        guard let lease = try store.lease().first else { return ["nothing is leased"] }
        _ = try store.finish([QueueCompletion(lease, .released)], now: .at(0))
        let ahead = QueueTime.at(14 * 86_400)
        _ = try store.add(.conformanceSample("2", at: ahead), at: ahead)
        guard !(try store.lease(at: .at(10)).map(\.id).contains(ids[0])), try store.state(ids[0]) == .waiting
        else { return ["the end of a repeat window is known while the clock is behind"] }
        let leased = try store.lease(QueueLeaseRequest(count: 9, owner: QueueOwner(1), now: ahead))
        guard try store.state(ids[0]) == .ambiguous else { return ["an entry is not ambiguous"] }
        return leased.ambiguous == ids ? [] : ["a lease does not say what became ambiguous"]
    }

    func expired(_ store: any QueueStore) throws(QueueError) -> [String] {
        let ids = try store.add(.conformanceSample { $0.timeToLive = .seconds(100) })
        guard try store.lease(at: .at(100)).isEmpty else { return ["an expired entry is leased"] }
        guard try store.expire(now: .at(100)) == ids, try store.state(ids[0]) == .expired else {
            return ["an entry does not expire"]
        }
        return []
    }

    func parkedAccount(_ store: any QueueStore) throws(QueueError) -> [String] {
        let (mine, other, renamed) = (QueueAccount("mine"), QueueAccount("other"), QueueAccount("renamed"))
        let ids = try store.add(
            .conformanceSample("1") { $0.account = mine }, .conformanceSample("2") { $0.account = mine },
            .conformanceSample("3") { $0.account = other })
        guard let lease = try store.lease(1).first,
            try store.finish([QueueCompletion(lease, .parked, reason: "401")], now: .at(0)) == [true]
        else { return ["cannot be parked"] }
        let later = try store.add(.conformanceSample { $0.account = mine })
        guard try store.lease().map(\.item.account) == [other], try store.counts()[.parked] == 3 else {
            return ["an entry of a parked account is leased"]
        }
        guard try store.resume(mine, as: renamed, now: .at(0)) == 3 else {
            return ["not all entries wait again"]
        }
        let leases = try store.lease()
        guard leases.map(\.id) == [ids[0], ids[1]] + later, leases.allSatisfy({ $0.item.account == renamed })
        else {
            return ["entries do not have the name of the account"]
        }
        return []
    }

    func duplicates(_ store: any QueueStore) throws(QueueError) -> [String] {
        let keyed = { (request: inout QueueRequest) in request.idempotencyKey = "key" }
        let first = try store.add(.conformanceSample("1", keyed))
        guard try store.add(.conformanceSample("1", keyed)) == first else {
            return ["an idempotency key has two entries"]
        }
        let conflicts = try conflicts(store, with: "1", keyed)
        guard conflicts == [QueueInsertion](repeating: .conflict(first[0]), count: 3) else {
            return ["an idempotency key stands for another request"]
        }
        let other = try QueueItem.conformanceSample { request in
            request.idempotencyKey = "key"
            request.account = QueueAccount("other")
        }
        guard try store.add(other) != first else { return ["accounts share an idempotency key"] }
        let same = { (request: inout QueueRequest) in request.deduplicationKey = "same" }
        let kept = try store.add(.conformanceSample("3", same))
        guard try store.add(.conformanceSample("4", same)) == kept else {
            return ["a deduplication key has two entries"]
        }
        let newer = try QueueItem.conformanceSample("5") { request in
            request.deduplicationKey = "same"
            request.supersedes = true
        }
        let results = try store.insert([newer], limits: QueueLimits(), now: .at(0))
        guard case .stored(_, kept, []) = results.first, try store.state(kept[0]) == .superseded else {
            return ["an entry is not superseded"]
        }
        let leases = try store.lease()
        let beside = try store.add(.conformanceSample("6", same))
        guard beside.count == 1, !leases.map(\.id).contains(beside[0]) else {
            return ["an attempt in progress stands for a later request"]
        }
        guard try store.add(.conformanceSample("7", same)) == beside else {
            return ["a deduplication key has two entries beside one that is being sent"]
        }
        _ = try store.finish(leases.map { QueueCompletion($0, .done) }, now: .at(0))
        guard try store.add(.conformanceSample("1", keyed)) == first,
            try self.conflicts(store, with: "1", keyed) == conflicts
        else { return ["the idempotency key of a completed entry is not known"] }
        return []
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

    func limits(_ store: any QueueStore) throws(QueueError) -> [String] {
        let ids = try store.add(
            .conformanceSample("1") { $0.priority = .high }, .conformanceSample("2") { $0.priority = .low })
        var limits = QueueLimits(count: 2)
        let item = try QueueItem.conformanceSample()
        guard try store.insert([item], limits: limits, now: .at(0)) == [.full] else {
            return ["a limit is not kept"]
        }
        limits.policy = .dropLowest
        let low = try QueueItem.conformanceSample { $0.priority = .low }
        guard try store.insert([low], limits: limits, now: .at(0)) == [.full] else {
            return ["an entry gives way to one of its own priority"]
        }
        let first = try store.insert([item], limits: limits, now: .at(0))
        guard case .stored(_, [], [ids[1]]) = first.first else {
            return ["the lowest entry does not give way"]
        }
        limits.policy = .dropOldest
        let second = try store.insert([low], limits: limits, now: .at(0))
        guard case .stored(_, [], [ids[0]]) = second.first else {
            return ["the oldest entry does not give way"]
        }
        limits.bytes = 1
        guard try store.insert([.conformanceSample()], limits: limits, now: .at(0)) == [.full],
            try store.counts() == [.waiting: 2, .dropped: 2]
        else { return ["the limit of bytes is not kept"] }
        return []
    }

    func cancelOnce(_ store: any QueueStore) throws(QueueError) -> [String] {
        let ids = try store.add(.conformanceSample("1"), .conformanceSample("2"))
        guard try store.cancel(QueueSelection(ids[0]), now: .at(0)) == [ids[0]] else {
            return ["cannot be cancelled"]
        }
        guard try store.cancel(QueueSelection(ids[0]), now: .at(0)) == [] else {
            return ["is cancelled twice"]
        }
        guard try store.lease().map(\.id) == [ids[1]] else { return ["a cancelled entry is leased"] }
        guard try store.cancel(QueueSelection(ids[1]), now: .at(0)) == [] else {
            return ["an attempt in progress is cancelled"]
        }
        return []
    }
}
