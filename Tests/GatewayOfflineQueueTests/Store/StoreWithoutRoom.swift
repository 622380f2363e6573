import GatewayCore

@testable import GatewayOfflineQueue

/// A store that has no room for items with the body `large`, and cannot be written with the body `fails`.
final class StoreWithoutRoom: QueueStore {
    private let store = MemoryQueueStore()

    func insert(
        _ items: [QueueItem], limits: QueueLimits, now: QueueTime
    ) throws(QueueError) -> [QueueInsertion] {
        guard !items.contains(where: { $0.body.elementsEqual("large".utf8) }) else {
            throw QueueError(.full, "no room")
        }
        guard !items.contains(where: { $0.body.elementsEqual("fails".utf8) }) else {
            throw QueueError(.unavailable, "not written")
        }
        return store.insert(items, limits: limits, now: now)
    }

    func lease(_ request: QueueLeaseRequest) -> QueueLeaseResult { store.lease(request) }
    func finish(_ completions: [QueueCompletion], now: QueueTime) -> [Bool] {
        store.finish(completions, now: now)
    }
    func reclaim(from owners: Set<QueueOwner>, now: QueueTime) -> [QueueEntry.ID] {
        store.reclaim(from: owners, now: now)
    }
    func expire(now: QueueTime) -> [QueueEntry.ID] { store.expire(now: now) }
    func cancel(_ selection: QueueSelection, now: QueueTime) -> [QueueEntry.ID] {
        store.cancel(selection, now: now)
    }
    func retry(_ id: QueueEntry.ID, now: QueueTime) -> Bool { store.retry(id, now: now) }
    func resume(_ account: QueueAccount, as newName: QueueAccount?, now: QueueTime) -> Int {
        store.resume(account, as: newName, now: now)
    }
    func prune(changedBefore time: QueueTime) -> Int { store.prune(changedBefore: time) }
    func entries(_ selection: QueueSelection) -> [QueueEntry] { store.entries(selection) }
    func counts() -> [QueueEntry.State: Int] { store.counts() }
    func join(_ random: any RandomSource) -> any QueueOwnership { store.join(random) }
    func foreignVersion() -> Int64 { store.foreignVersion() }
    func outlook() -> QueueOutlook { store.outlook() }
    func predecessor(of id: QueueEntry.ID) -> QueueEntry.ID? { store.predecessor(of: id) }
}
