import GatewayCore
import GatewayQueueTesting

@testable import GatewayOfflineQueue

/// A store that is wrong in one way.
final class BrokenStore: QueueStore {
    enum Fault {
        case otherBytes, completesForOthers, forgetsOrder, repeatsForEver, believesTheClock, expiresByTheClock
        case leasesExpired, neverParks, forgetsKeys, hasNoLimits, cancelsTwice, neverAges, forgetsWhatIsDue
        case countsWrong, leasesBeforeItEnds, hidesAmbiguous, countsAll, leasesSkipped, hidesDamaged
    }

    private let fault: Fault
    private let store = MemoryQueueStore()
    private var current: [QueueEntry.ID: QueueLease] = [:]
    private var damaged: Set<QueueEntry.ID> = []

    init(_ fault: Fault) { self.fault = fault }

    func join(_ random: any RandomSource) -> any QueueOwnership { store.join(random) }
    func foreignVersion() -> Int64 { store.foreignVersion() }
    func outlook() -> QueueOutlook {
        var outlook = store.outlook()
        if fault == .forgetsWhatIsDue { outlook.nextDue = nil }
        return outlook
    }
    func predecessor(of id: QueueEntry.ID) -> QueueEntry.ID? { store.predecessor(of: id) }

    func insert(_ items: [QueueItem], limits: QueueLimits, now: QueueTime) -> [QueueInsertion] {
        store.insert(
            items.map(changed),
            limits: fault == .hasNoLimits ? QueueLimits(count: .max, bytes: .max) : limits,
            now: now)
    }

    private func changed(_ item: QueueItem) -> QueueItem {
        var item = item
        if fault == .forgetsKeys { item.values.value.deduplicationKey = nil }
        if fault == .forgetsOrder { item.values.value.orderingKey = nil }
        if fault == .leasesExpired { item.values.value.expires = item.expires.adding(.seconds(1)) }
        if fault == .repeatsForEver { item.values.value.repeatWindow = QueueItem.longestLife }
        return item
    }

    /// Damages what the store has of an entry.
    func damage(_ id: QueueEntry.ID) { damaged.insert(id) }

    func lease(_ request: QueueLeaseRequest) -> QueueLeaseResult {
        var request = request
        if fault == .leasesSkipped { request.skippedEntries = [] }
        if fault == .neverAges { request.ageing = nil }
        // The clock is never behind if it is ahead of everything.
        if fault == .believesTheClock, request.now < .start { request.now = .at(90) }
        var result = store.lease(request)
        for lease in result.leases { current[lease.id] = lease }
        if fault == .hidesAmbiguous { result.ambiguous = [] }
        let found = result.leases.filter { damaged.contains($0.id) }
        result.leases.removeAll { damaged.contains($0.id) }
        _ = store.finish(found.map { QueueCompletion(notBegun: $0, .poison) }, now: request.now)
        if fault != .hidesDamaged { result.damaged = found.map(\.id) }
        guard fault == .otherBytes else { return result }
        result.leases = result.leases.map { lease in
            var item = lease.item
            if lease.attempt > 1 { item.body.append(0) }
            return QueueLease(
                id: lease.id, owner: lease.owner, attempt: lease.attempt, item: item,
                expires: lease.expires, firstSent: lease.firstSent, wasSentBefore: lease.wasSentBefore)
        }
        return result
    }

    func finish(_ completions: [QueueCompletion], now: QueueTime) -> [Bool] {
        store.finish(
            completions.map { completion in
                var completion = completion
                if fault == .completesForOthers, let lease = current[completion.lease.id] {
                    completion.lease = lease
                }
                if fault == .neverParks, completion.result == .parked { completion.result = .released }
                if fault == .countsAll { completion.wasBegun = true }
                return completion
            }, now: now)
    }

    func exchange(_ completions: [QueueCompletion], for request: QueueLeaseRequest) -> QueueExchange {
        let early = fault == .leasesBeforeItEnds ? lease(request) : nil
        let ended = finish(completions, now: request.now)
        return QueueExchange(ended: ended, leased: early ?? lease(request))
    }

    func expire(now: QueueTime) -> [QueueEntry.ID] {
        guard fault == .expiresByTheClock else { return store.expire(now: now) }
        var selection = QueueSelection()
        selection.ids = Set(store.entries(QueueSelection()).filter { $0.expires <= now }.map(\.id))
        return store.cancel(selection, now: now)
    }

    func cancel(_ selection: QueueSelection, now: QueueTime) -> [QueueEntry.ID] {
        let cancelled = store.cancel(selection, now: now)
        return fault == .cancelsTwice ? store.entries(selection).map(\.id) : cancelled
    }

    func counts() -> [QueueEntry.State: Int] {
        var counts = store.counts()
        if fault == .countsWrong, counts[.poison] != nil { counts[.poison] = 0 }
        return counts
    }

    func reclaim(from owners: Set<QueueOwner>, now: QueueTime) -> [QueueEntry.ID] {
        store.reclaim(from: owners, now: now)
    }
    func retry(_ id: QueueEntry.ID, now: QueueTime) -> Bool { store.retry(id, now: now) }
    func resume(_ account: QueueAccount, as newName: QueueAccount?, now: QueueTime) -> Int {
        store.resume(account, as: newName, now: now)
    }
    func prune(changedBefore time: QueueTime) -> Int { store.prune(changedBefore: time) }
    func entries(_ selection: QueueSelection) -> [QueueEntry] { store.entries(selection) }
}
