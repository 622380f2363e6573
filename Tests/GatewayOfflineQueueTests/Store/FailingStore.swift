import GatewayCore

@testable import GatewayOfflineQueue

/// A store whose uses fail while a test wants it. It has no room for items with the body `large`, and cannot be written with the
/// body `fails`.
final class FailingStore: QueueStore {
    /// What fails.
    enum Use { case expiry, pruning, resumption, reading }

    /// What fails now, and how often something has.
    final class Faults: Sendable {
        private let state = Locked<(uses: Set<Use>, count: Int)>(([], 0))

        var count: Int { state.withLock { $0.count } }
        func set(_ uses: Set<Use>) { state.withLock { $0.uses = uses } }

        fileprivate func check(_ use: Use) throws(QueueError) {
            let fails = state.withLock { state in
                guard state.uses.contains(use) else { return false }
                state.count += 1
                return true
            }
            if fails { throw QueueError(.unavailable, "\(use)") }
        }
    }

    private let store: any QueueStore
    private let faults: Faults

    init(_ store: any QueueStore = MemoryQueueStore(), faults: Faults = Faults()) {
        self.store = store
        self.faults = faults
    }

    func insert(
        _ items: [QueueItem], limits: QueueLimits, now: QueueTime
    ) throws(QueueError) -> [QueueInsertion] {
        guard !items.contains(where: { $0.body.elementsEqual("large".utf8) }) else {
            throw QueueError(.full, "no room")
        }
        guard !items.contains(where: { $0.body.elementsEqual("fails".utf8) }) else {
            throw QueueError(.unavailable, "not written")
        }
        return try store.insert(items, limits: limits, now: now)
    }

    func reclaim(from owners: Set<QueueOwner>, now: QueueTime) throws(QueueError) -> [QueueEntry.ID] {
        try store.reclaim(from: owners, now: now)
    }
    func expire(now: QueueTime) throws(QueueError) -> [QueueEntry.ID] {
        try faults.check(.expiry)
        return try store.expire(now: now)
    }
    func resume(
        _ account: QueueAccount, as newName: QueueAccount?, now: QueueTime
    ) throws(QueueError) -> Int {
        try faults.check(.resumption)
        return try store.resume(account, as: newName, now: now)
    }
    func prune(changedBefore time: QueueTime) throws(QueueError) -> Int {
        try faults.check(.pruning)
        return try store.prune(changedBefore: time)
    }
    func entries(_ selection: QueueSelection) throws(QueueError) -> [QueueEntry] {
        try faults.check(.reading)
        return try store.entries(selection)
    }

    func lease(_ request: QueueLeaseRequest) throws(QueueError) -> QueueLeaseResult {
        try store.lease(request)
    }
    func finish(_ completions: [QueueCompletion], now: QueueTime) throws(QueueError) -> [Bool] {
        try store.finish(completions, now: now)
    }
    func cancel(_ selection: QueueSelection, now: QueueTime) throws(QueueError) -> [QueueEntry.ID] {
        try store.cancel(selection, now: now)
    }
    func retry(_ id: QueueEntry.ID, now: QueueTime) throws(QueueError) -> Bool {
        try store.retry(id, now: now)
    }
    func counts() throws(QueueError) -> [QueueEntry.State: Int] { try store.counts() }
    func join(_ random: any RandomSource) throws(QueueError) -> any QueueOwnership { try store.join(random) }
    func foreignVersion() throws(QueueError) -> Int64 { try store.foreignVersion() }
    func outlook() throws(QueueError) -> QueueOutlook { try store.outlook() }
    func predecessor(of id: QueueEntry.ID) throws(QueueError) -> QueueEntry.ID? {
        try store.predecessor(of: id)
    }
}
