import GatewayCore
import GatewayOfflineQueue

extension QueueStoreConformance {
    func sameBytes(_ store: any QueueStore) throws(QueueError) -> [String] {
        let items = [
            try QueueItem.conformanceSample("{\"amount\":1}") { $0.orderingKey = "o" },
            try .conformanceSample(""), try .conformanceSample(String(repeating: "x", count: 400_000)),
        ]
        let ids = try store.add(items[0], items[1], items[2])
        for attempt in 1...3 {
            let now = QueueTime.at(Int64(attempt))
            let leases = try store.lease(at: now)
            guard leases.map(\.id) == ids, leases.map(\.item) == items else {
                return ["attempt \(attempt) sends something else"]
            }
            guard leases.allSatisfy({ $0.attempt == attempt && $0.firstSent == .at(1) }) else {
                return ["attempt \(attempt) is not counted"]
            }
            guard leases.allSatisfy({ $0.wasSentBefore == (attempt > 1) }) else {
                return ["attempt \(attempt) does not know of earlier ones"]
            }
            let ended = try store.finish(leases.map { QueueCompletion($0, .released) }, now: now)
            guard ended == [true, true, true] else { return ["attempt \(attempt) cannot be ended"] }
        }
        return []
    }

    func fencedCompletion(_ store: any QueueStore) throws(QueueError) -> [String] {
        let ids = try store.add(.conformanceSample())
        guard let first = try store.lease(owner: 1).first else { return ["nothing is leased"] }
        guard try store.lease(owner: 2).isEmpty else { return ["an entry is leased twice"] }
        guard try store.outlook().owners == [QueueOwner(1)] else { return ["the owner is not known"] }
        guard try store.reclaim(from: [QueueOwner(2)], now: .at(0)) == [] else {
            return ["the attempt of another owner is reclaimed"]
        }
        guard try store.reclaim(from: [QueueOwner(1)], now: .at(0)) == ids,
            let second = try store.lease(owner: 2).first
        else { return ["the attempt is not reclaimed"] }
        guard second.wasSentBefore else { return ["a reclaimed attempt counts as not sent"] }
        guard try store.finish([QueueCompletion(first, .poison)], now: .at(0)) == [false],
            try store.state(second.id) == .leased
        else { return ["an attempt that was reclaimed ends the next one"] }
        guard try store.finish([QueueCompletion(second, .done)], now: .at(0)) == [true],
            try store.finish([QueueCompletion(second, .poison)], now: .at(0)) == [false],
            try store.state(second.id) == .done
        else { return ["an attempt ends twice"] }
        return []
    }

    func exchange(_ store: any QueueStore) throws(QueueError) -> [String] {
        let ids = try store.add(
            .conformanceSample { $0.orderingKey = "k" }, .conformanceSample { $0.orderingKey = "k" },
            .conformanceSample())
        guard let first = try store.lease(owner: 1).first, first.id == ids[0] else {
            return ["nothing is leased"]
        }
        let request = QueueLeaseRequest(count: 9, owner: QueueOwner(1), now: .at(1))
        let exchange = try store.exchange(
            [QueueCompletion(first, .done), QueueCompletion(first, .poison)], for: request)
        guard exchange.ended == [true, false], try store.state(first.id) == .done else {
            return ["an attempt is not ended once"]
        }
        guard exchange.leased.leases.map(\.id) == [ids[1]] else {
            return ["the entry behind one that ended is not leased with it"]
        }
        return []
    }

    func orderByKey(_ store: any QueueStore) throws(QueueError) -> [String] {
        let first = try QueueItem.conformanceSample { $0.orderingKey = "k" }
        let second = try QueueItem.conformanceSample {
            $0.orderingKey = "k"
            $0.priority = .critical
        }
        let ids = try store.add(first, second, .conformanceSample())
        let leases = try store.lease()
        guard leases.map(\.id) == [ids[0], ids[2]] else { return ["a later entry of a key is leased first"] }
        let later = QueueCompletion(leases[0], .postponed(until: .at(60)))
        guard try store.finish([later], now: .at(0)) == [true], try store.outlook().nextDue == .at(60) else {
            return ["the time of a postponed entry is not known"]
        }
        guard try store.lease(at: .at(59)).isEmpty else {
            return ["a postponed entry does not hold others back"]
        }
        let again = try store.lease(at: .at(60))
        guard again.map(\.id) == [ids[0]] else { return ["a postponed entry is not leased when it is due"] }
        guard try store.finish([QueueCompletion(again[0], .poison)], now: .at(60)) == [true],
            try store.lease(at: .at(60)).map(\.id) == [ids[1]]
        else { return ["poison holds others back"] }
        return []
    }

    func ambiguous(_ store: any QueueStore) throws(QueueError) -> [String] {
        let short = { (request: inout QueueRequest) in request.repeatWindow = .seconds(1_800) }
        let ids = try store.add(.conformanceSample("1", short), .conformanceSample("2", short))
        let leases = try store.lease()
        guard leases.count == 2 else { return ["nothing is leased"] }
        let completions = [
            QueueCompletion(leases[0], .released),
            QueueCompletion(leases[1], .released, mayHaveBeenSent: false),
        ]
        guard try store.finish(completions, now: .at(5)) == [true, true] else { return ["cannot be ended"] }
        let request = QueueLeaseRequest(count: 9, owner: QueueOwner(1), now: .at(1_800))
        let leased = try store.exchange([], for: request).leased
        guard leased.leases.map(\.id) == [ids[1]], try store.state(ids[0]) == .ambiguous else {
            return ["an entry is repeated that the server may have forgotten"]
        }
        guard leased.ambiguous == [ids[0]] else { return ["an exchange does not say what became ambiguous"] }
        guard try store.retry(ids[0], now: .at(90_000)), let lease = try store.lease(at: .at(90_001)).first,
            lease.id == ids[0], !lease.wasSentBefore
        else { return ["a retry does not begin anew"] }
        return []
    }

    func ageing(_ store: any QueueStore) throws(QueueError) -> [String] {
        let low = try store.add(.conformanceSample { $0.priority = .low })
        let normal = try store.add(.conformanceSample(), at: .at(600))
        var request = QueueLeaseRequest(count: 1, owner: QueueOwner(1), now: .at(600))
        guard try store.lease(request).leases.map(\.id) == normal else {
            return ["a lower priority goes first"]
        }
        let high = try store.add(.conformanceSample(), at: .at(600))
        request.ageing = .seconds(600)
        guard try store.lease(request).leases.map(\.id) == low,
            try store.lease(request).leases.map(\.id) == high
        else { return ["an old entry does not rise"] }
        return []
    }

    func attempts(_ store: any QueueStore) throws(QueueError) -> [String] {
        let ids = try store.add(.conformanceSample())
        for _ in 0..<3 {
            guard let lease = try store.lease().first, lease.attempt == 1, !lease.wasSentBefore else {
                return ["an attempt is counted that was not begun"]
            }
            guard
                try store.finish([QueueCompletion(notBegun: lease, .released)], now: .at(0)) == [true],
                let entry = try store.entries(QueueSelection(ids[0])).first, entry.attempts == 0,
                entry.firstSent == nil
            else { return ["an attempt that was not begun leaves a trace"] }
        }
        guard let first = try store.lease().first,
            try store.finish([QueueCompletion(first, .released, mayHaveBeenSent: false)], now: .at(0))
                == [true], let second = try store.lease().first, second.attempt == 2
        else { return ["an attempt is not counted that was begun"] }
        return []
    }

    func skipped(_ store: any QueueStore) throws(QueueError) -> [String] {
        let mine = QueueAccount("mine")
        let ids = try store.add(
            .conformanceSample("1") { $0.orderingKey = "k" },
            .conformanceSample("2") { $0.orderingKey = "k" },
            .conformanceSample("3") { $0.account = mine }, .conformanceSample("4"))
        var request = QueueLeaseRequest(count: 9, owner: QueueOwner(1), now: .at(0))
        request.skippedOrigins = [try QueueItem.conformanceSample().origin]
        guard try store.lease(request).leases.isEmpty else {
            return ["an entry of a skipped origin is leased"]
        }
        request.skippedOrigins = []
        request.skippedEntries = [ids[0]]
        request.skippedAccounts = [mine]
        guard try store.lease(request).leases.map(\.id) == [ids[3]] else {
            return ["a skipped entry is leased, or one behind it"]
        }
        return []
    }

    func damaged(_ store: any QueueStore) throws(QueueError) -> [String] {
        guard let damage else { return [] }
        let ids = try store.add(.conformanceSample("1"), .conformanceSample("2"), .conformanceSample("3"))
        try damage(store, ids[1])
        let leased = try store.lease(QueueLeaseRequest(count: 9, owner: QueueOwner(1), now: .at(1)))
        guard leased.leases.map(\.id) == [ids[0], ids[2]] else {
            return ["a damaged entry is leased, or costs others their turn"]
        }
        guard leased.damaged == [ids[1]], try store.counts()[.poison] == 1 else {
            return ["a lease does not say what is damaged"]
        }
        return []
    }
}
