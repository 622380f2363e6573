import GatewayCore
import GatewayOfflineQueue

extension QueueStoreConformance {
    func sameBytes(_ store: any QueueStore) throws {
        let items = [
            try QueueItem.conformanceSample("{\"amount\":1}") { $0.orderingKey = "o" },
            try .conformanceSample(""), try .conformanceSample(String(repeating: "x", count: 400_000)),
        ]
        let ids = try store.add(items[0], items[1], items[2])
        for attempt in 1...3 {
            let now = QueueTime.at(Int64(attempt))
            let leases = try store.lease(at: now)
            try expect(
                leases.map(\.id) == ids && leases.map(\.item) == items,
                "attempt \(attempt) sends something else")
            try expect(
                leases.allSatisfy { $0.attempt == attempt && $0.firstSent == .at(1) },
                "attempt \(attempt) is not counted")
            try expect(
                leases.allSatisfy { $0.wasSentBefore == (attempt > 1) },
                "attempt \(attempt) does not know of earlier ones")
            let ended = try store.finish(leases.map { QueueCompletion($0, .released) }, now: now)
            try expect(ended == [true, true, true], "attempt \(attempt) cannot be ended")
        }
    }

    func fencedCompletion(_ store: any QueueStore) throws {
        let ids = try store.add(.conformanceSample())
        guard let first = try store.lease(owner: 1).first else { throw Finding(text: "nothing is leased") }
        try expect(store.lease(owner: 2).isEmpty, "an entry is leased twice")
        try expect(store.outlook().owners == [QueueOwner(1)], "the owner is not known")
        try expect(
            store.reclaim(from: [QueueOwner(2)], now: .at(0)) == [],
            "the attempt of another owner is reclaimed")
        guard try store.reclaim(from: [QueueOwner(1)], now: .at(0)) == ids,
            let second = try store.lease(owner: 2).first
        else { throw Finding(text: "the attempt is not reclaimed") }
        try expect(second.wasSentBefore, "a reclaimed attempt counts as not sent")
        try expect(
            store.finish([QueueCompletion(first, .poison)], now: .at(0)) == [false]
                && store.state(second.id) == .leased, "an attempt that was reclaimed ends the next one")
        try expect(
            store.finish([QueueCompletion(second, .done)], now: .at(0)) == [true]
                && store.finish([QueueCompletion(second, .poison)], now: .at(0)) == [false]
                && store.state(second.id) == .done, "an attempt ends twice")
    }

    func exchange(_ store: any QueueStore) throws {
        let ids = try store.add(
            .conformanceSample { $0.orderingKey = "k" }, .conformanceSample { $0.orderingKey = "k" },
            .conformanceSample())
        guard let first = try store.lease(owner: 1).first, first.id == ids[0] else {
            throw Finding(text: "nothing is leased")
        }
        let request = QueueLeaseRequest(count: 9, owner: QueueOwner(1), now: .at(1))
        let exchange = try store.exchange(
            [QueueCompletion(first, .done), QueueCompletion(first, .poison)], for: request)
        try expect(
            exchange.ended == [true, false] && store.state(first.id) == .done, "an attempt is not ended once")
        try expect(
            exchange.leased.leases.map(\.id) == [ids[1]],
            "the entry behind one that ended is not leased with it")
    }

    func orderByKey(_ store: any QueueStore) throws {
        let first = try QueueItem.conformanceSample { $0.orderingKey = "k" }
        let second = try QueueItem.conformanceSample {
            $0.orderingKey = "k"
            $0.priority = .critical
        }
        let ids = try store.add(first, second, .conformanceSample())
        let leases = try store.lease()
        try expect(leases.map(\.id) == [ids[0], ids[2]], "a later entry of a key is leased first")
        let later = QueueCompletion(leases[0], .postponed(until: .at(60)))
        try expect(
            store.finish([later], now: .at(0)) == [true] && store.outlook().nextDue == .at(60),
            "the time of a postponed entry is not known")
        try expect(store.lease(at: .at(59)).isEmpty, "a postponed entry does not hold others back")
        let again = try store.lease(at: .at(60))
        try expect(again.map(\.id) == [ids[0]], "a postponed entry is not leased when it is due")
        try expect(
            store.finish([QueueCompletion(again[0], .poison)], now: .at(60)) == [true]
                && store.lease(at: .at(60)).map(\.id) == [ids[1]], "poison holds others back")
    }

    func ambiguous(_ store: any QueueStore) throws {
        let short = { (request: inout QueueRequest) in request.repeatWindow = .seconds(1_800) }
        let ids = try store.add(.conformanceSample("1", short), .conformanceSample("2", short))
        let leases = try store.lease()
        try expect(leases.count == 2, "nothing is leased")
        let completions = [
            QueueCompletion(leases[0], .released),
            QueueCompletion(leases[1], .released, mayHaveBeenSent: false),
        ]
        try expect(store.finish(completions, now: .at(5)) == [true, true], "cannot be ended")
        let request = QueueLeaseRequest(count: 9, owner: QueueOwner(1), now: .at(1_800))
        let leased = try store.exchange([], for: request).leased
        try expect(
            leased.leases.map(\.id) == [ids[1]] && store.state(ids[0]) == .ambiguous,
            "an entry is repeated that the server may have forgotten")
        try expect(leased.ambiguous == [ids[0]], "an exchange does not say what became ambiguous")
        guard try store.retry(ids[0], now: .at(90_000)), let lease = try store.lease(at: .at(90_001)).first,
            lease.id == ids[0], !lease.wasSentBefore
        else { throw Finding(text: "a retry does not begin anew") }
    }

    func ageing(_ store: any QueueStore) throws {
        let low = try store.add(.conformanceSample { $0.priority = .low })
        let normal = try store.add(.conformanceSample(), at: .at(600))
        var request = QueueLeaseRequest(count: 1, owner: QueueOwner(1), now: .at(600))
        try expect(store.lease(request).leases.map(\.id) == normal, "a lower priority goes first")
        let high = try store.add(.conformanceSample(), at: .at(600))
        request.ageing = .seconds(600)
        try expect(
            store.lease(request).leases.map(\.id) == low && store.lease(request).leases.map(\.id) == high,
            "an old entry does not rise")
    }

    func attempts(_ store: any QueueStore) throws {
        let ids = try store.add(.conformanceSample())
        for _ in 0..<3 {
            guard let lease = try store.lease().first, lease.attempt == 1, !lease.wasSentBefore else {
                throw Finding(text: "an attempt is counted that was not begun")
            }
            guard
                try store.finish([QueueCompletion(notBegun: lease, .released)], now: .at(0)) == [true],
                let entry = try store.entries(QueueSelection(ids[0])).first, entry.attempts == 0,
                entry.firstSent == nil
            else { throw Finding(text: "an attempt that was not begun leaves a trace") }
        }
        guard let first = try store.lease().first,
            try store.finish([QueueCompletion(first, .released, mayHaveBeenSent: false)], now: .at(0))
                == [true], let second = try store.lease().first, second.attempt == 2
        else { throw Finding(text: "an attempt is not counted that was begun") }
    }

    func skipped(_ store: any QueueStore) throws {
        let mine = QueueAccount("mine")
        let ids = try store.add(
            .conformanceSample("1") { $0.orderingKey = "k" },
            .conformanceSample("2") { $0.orderingKey = "k" },
            .conformanceSample("3") { $0.account = mine }, .conformanceSample("4"))
        var request = QueueLeaseRequest(count: 9, owner: QueueOwner(1), now: .at(0))
        request.skippedOrigins = [try QueueItem.conformanceSample().origin]
        try expect(store.lease(request).leases.isEmpty, "an entry of a skipped origin is leased")
        request.skippedOrigins = []
        request.skippedEntries = [ids[0]]
        request.skippedAccounts = [mine]
        try expect(
            store.lease(request).leases.map(\.id) == [ids[3]], "a skipped entry is leased, or one behind it")
    }

    func damaged(_ store: any QueueStore) throws {
        guard let damage else { return }
        let ids = try store.add(.conformanceSample("1"), .conformanceSample("2"), .conformanceSample("3"))
        try damage(store, ids[1])
        let leased = try store.lease(QueueLeaseRequest(count: 9, owner: QueueOwner(1), now: .at(1)))
        try expect(
            leased.leases.map(\.id) == [ids[0], ids[2]],
            "a damaged entry is leased, or costs others their turn")
        try expect(
            leased.damaged == [ids[1]] && store.counts()[.poison] == 1, "a lease does not say what is damaged"
        )
    }
}
