import GatewayCore
import Testing

@testable import GatewayOfflineQueue

/// What every store promises.
@Suite(.timeLimit(.minutes(2))) struct QueueStoreTests {
    /// queue.same-bytes
    @Test(arguments: StoreKind.allCases)
    func eachAttemptHasTheSameBytesAndKey(kind: StoreKind) throws {
        let fixture = StoreFixture(kind)
        let item = try QueueItem.sample("{\"amount\":1}") { $0.orderingKey = "o" }
        let id = try #require(try fixture.store.add(item).first)
        for attempt in 1...3 {
            let lease = try #require(try fixture.store.lease(at: .at(Int64(attempt))).first)
            #expect(lease.id == id && lease.attempt == attempt && lease.item == item)
            #expect(lease.wasSentBefore == (attempt > 1))
            #expect(lease.firstSent == .at(1))
            #expect(
                try fixture.store.finish([QueueCompletion(lease, .released)], now: .at(Int64(attempt))) == [
                    true
                ])
        }
    }

    /// queue.fenced-completion
    @Test(arguments: StoreKind.allCases)
    func onlyTheOwnerFinishesItsAttempt(kind: StoreKind) throws {
        let store = StoreFixture(kind)
        let id = try #require(try store.store.add(.sample()).first)
        let first = try #require(try store.store.lease(owner: 1).first)
        #expect(try store.store.lease(owner: 2).isEmpty)
        #expect(try store.store.reclaim(from: [QueueOwner(2)], now: .start) == [])
        #expect(try store.store.reclaim(from: [QueueOwner(1)], now: .start) == [id])
        let second = try #require(try store.store.lease(owner: 2).first)
        #expect(second.wasSentBefore)
        #expect(try store.store.finish([QueueCompletion(first, .poison)], now: .start) == [false])
        #expect(try store.store.state(id) == .leased)
        #expect(try store.store.finish([QueueCompletion(second, .done)], now: .start) == [true])
        #expect(try store.store.finish([QueueCompletion(second, .poison)], now: .start) == [false])
        #expect(try store.store.state(id) == .done)
    }

    /// queue.order-per-key
    @Test(arguments: StoreKind.allCases)
    func entriesWithAnOrderingKeyGoOneAfterTheOther(kind: StoreKind) throws {
        let fixture = StoreFixture(kind)
        let store = fixture.store
        let ids = try store.add(
            .sample { $0.orderingKey = "k" },
            .sample {
                $0.orderingKey = "k"
                $0.priority = .critical
            }, .sample())
        let leases = try store.lease()
        #expect(leases.map(\.id) == [ids[0], ids[2]])
        let later = QueueCompletion(leases[0], .postponed(until: .at(60)))
        #expect(try store.finish([later], now: .start) == [true])
        #expect(try store.nextDue() == .at(60))
        #expect(try store.lease(at: .at(59)).isEmpty)
        let again = try #require(try store.lease(at: .at(60)).first)
        #expect(again.id == ids[0])
        #expect(try store.finish([QueueCompletion(again, .poison)], now: .at(60)) == [true])
        #expect(try store.lease(at: .at(60)).map(\.id) == [ids[1]])
    }

    /// queue.ambiguous-never-resent
    @Test(arguments: StoreKind.allCases)
    func whatTheServerMayHaveForgottenIsNotRepeated(kind: StoreKind) throws {
        let fixture = StoreFixture(kind)
        let store = fixture.store
        let ids = try store.add(
            .sample { $0.repeatWindow = .seconds(1_800) }, .sample { $0.repeatWindow = .seconds(1_800) })
        let leases = try store.lease()
        let completions = [
            QueueCompletion(leases[0], .released),
            QueueCompletion(leases[1], .released, mayHaveBeenSent: false),
        ]
        #expect(try store.finish(completions, now: .at(5)) == [true, true])
        #expect(try store.lease(at: .at(1_800)).map(\.id) == [ids[1]])
        #expect(try store.state(ids[0]) == .ambiguous)
        #expect(try store.retry(ids[0], now: .at(90_000)))
        let lease = try #require(try store.lease(at: .at(90_001)).first)
        #expect(lease.id == ids[0] && !lease.wasSentBefore)
    }

    /// queue.clock
    @Test(arguments: StoreKind.allCases)
    func nothingExpiresWhileTheClockIsBehind(kind: StoreKind) throws {
        let fixture = StoreFixture(kind)
        let store = fixture.store
        let ids = try store.add(.sample { $0.timeToLive = .seconds(100) })
        let lease = try #require(try store.lease(at: .at(50)).first)
        let retry = QueueCompletion(lease, .postponed(until: .at(80)))
        #expect(try store.finish([retry], now: .at(50)) == [true])
        // The clock of a board without a battery.
        let past = QueueTime(milliseconds: 5_000)
        #expect(try store.expire(now: past).isEmpty)
        #expect(try store.lease(at: past).isEmpty)
        #expect(try store.state(ids[0]) == .waiting)
        // What was not sent before is sent.
        let others = try store.add(.sample("2"), at: past)
        #expect(try store.lease(at: past).map(\.id) == others)
        #expect(try store.lease(at: .at(60)).map(\.id) == ids)
    }

    /// queue.clock
    @Test(arguments: StoreKind.allCases)
    func anEntryThatTheClockCallsExpiredIsKeptWhileTheClockIsBehind(kind: StoreKind) throws {
        let fixture = StoreFixture(kind)
        let store = fixture.store
        let ids = try store.add(.sample { $0.timeToLive = .seconds(100) })
        // The clock was two weeks ahead, and comes back.
        _ = try store.add(.sample("2", at: .at(14 * 86_400)), at: .at(14 * 86_400))
        #expect(try store.expire(now: .at(200)).isEmpty)
        #expect(try store.state(ids[0]) == .waiting)
        #expect(try store.lease(at: .at(200)).map(\.id) == [QueueEntry.ID(2)])
        #expect(try store.expire(now: .at(14 * 86_400)) == ids)
    }

    /// queue.expired-never-sent
    @Test(arguments: StoreKind.allCases)
    func whatHasExpiredIsNotLeased(kind: StoreKind) throws {
        let fixture = StoreFixture(kind)
        let store = fixture.store
        let ids = try store.add(.sample { $0.timeToLive = .seconds(100) })
        #expect(try store.lease(at: .at(100)).isEmpty)
        #expect(try store.expire(now: .at(100)) == ids)
        #expect(try store.state(ids[0]) == .expired)
    }

    /// queue.account-parks, queue.other-account-never, queue.survives-login
    @Test(arguments: StoreKind.allCases)
    func aParkedAccountWaitsForItsLogin(kind: StoreKind) throws {
        let fixture = StoreFixture(kind)
        let store = fixture.store
        let (mine, other) = (QueueAccount("mine"), QueueAccount("other"))
        let ids = try store.add(
            .sample { $0.account = mine }, .sample { $0.account = mine }, .sample { $0.account = other })
        let lease = try #require(try store.lease(1).first)
        #expect(try store.finish([QueueCompletion(lease, .parked, reason: "401")], now: .start) == [true])
        let later = try store.add(.sample { $0.account = mine })
        #expect(try store.lease().map(\.item.account) == [other])
        #expect(try store.counts()[.parked] == 3)
        #expect(try store.resume(mine, as: QueueAccount("renamed"), now: .start) == 3)
        let leases = try store.lease()
        #expect(leases.map(\.id) == [ids[0], ids[1]] + later)
        #expect(leases.allSatisfy { $0.item.account == QueueAccount("renamed") })
    }

    /// queue.limit
    @Test(arguments: StoreKind.allCases)
    func limitsRefuseOrDrop(kind: StoreKind) throws {
        let fixture = StoreFixture(kind)
        let store = fixture.store
        let ids = try store.add(.sample { $0.priority = .high }, .sample { $0.priority = .low })
        var limits = QueueLimits(count: 2)
        let item = try QueueItem.sample()
        #expect(try store.insert([item], limits: limits, now: .start) == [.full])
        limits.policy = .dropLowest
        let low = try QueueItem.sample { $0.priority = .low }
        #expect(try store.insert([low], limits: limits, now: .start) == [.full])
        let third = QueueEntry.ID(3)
        #expect(
            try store.insert([item], limits: limits, now: .start)
                == [.stored(third, superseded: [], dropped: [ids[1]])])
        limits.policy = .dropOldest
        #expect(
            try store.insert([low], limits: limits, now: .start)
                == [.stored(QueueEntry.ID(4), superseded: [], dropped: [ids[0]])])
        limits.bytes = 1
        #expect(try store.insert([.sample()], limits: limits, now: .start) == [.full])
        #expect(try store.counts() == [.waiting: 2, .dropped: 2])
    }

    /// queue.cancel-once
    @Test(arguments: StoreKind.allCases)
    func whatIsCancelledIsNotLeasedAndIsCancelledOnce(kind: StoreKind) throws {
        let fixture = StoreFixture(kind)
        let store = fixture.store
        let ids = try store.add(.sample(), .sample())
        #expect(try store.cancel(QueueSelection(ids[0]), now: .start) == [ids[0]])
        #expect(try store.cancel(QueueSelection(ids[0]), now: .start) == [])
        #expect(try store.lease().map(\.id) == [ids[1]])
        #expect(try store.cancel(QueueSelection(ids[1]), now: .start) == [])
    }

    /// Ageing raises the priority.
    @Test(arguments: StoreKind.allCases)
    func anOldEntryRises(kind: StoreKind) throws {
        let fixture = StoreFixture(kind)
        let store = fixture.store
        let low = try store.add(.sample { $0.priority = .low })
        let normal = try store.add(.sample(), at: .at(600))
        var request = QueueLeaseRequest(count: 1, owner: QueueOwner(1), now: .at(600))
        #expect(try store.lease(request).map(\.id) == normal)
        let high = try store.add(.sample(), at: .at(600))
        request.ageing = .seconds(600)
        #expect(try store.lease(request).map(\.id) == low)
        #expect(try store.lease(request).map(\.id) == high)
    }
}
