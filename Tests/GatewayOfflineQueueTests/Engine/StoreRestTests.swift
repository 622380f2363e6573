import GatewayCore
import GatewayQueueTesting
import GatewayTesting
import Glibc
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// A store that fails rests, and what it has not done is done later.
@Suite(.timeLimit(.minutes(10)), .tags(.concurrent)) struct StoreRestTests {
    /// queue.store-rests: while the clock stands still, a store that fails is asked once.
    @Test func aStoreThatFailsIsNotAskedAgainAndAgain() async throws {
        let directory = QueueDirectory()
        let fixture = try await EngineFixture(store: SQLiteQueueStore(path: directory.file)) { _, _ in
            .status(200)
        }
        let drain = fixture.queue.drain
        await fixture.queue.start()
        #expect(await isEventually { await drain.nextCheck != nil })
        // The lock of its owner can no longer be shown: everything fails.
        let names = DirectoryNames.of(directory.path).filter { $0.contains(".owner-") }
        let name = try #require(names.first)
        let path = "\(directory.path)/\(name)"
        #expect(unlink(path) == 0 && mkdir(path, 0o700) == 0)
        fixture.clock.advance(by: .seconds(60))
        // The first round may have met the fault, too.
        let clock = fixture.clock
        #expect(await isEventually { await drain.storeFailure.map { $0.until > clock.now } ?? false })
        let pause = await drain.storeFailure?.pause
        for _ in 0..<2_000 { await Task.yield() }
        #expect(await drain.storeFailure?.pause == pause)
        // It goes on.
        #expect(rmdir(path) == 0)
        let isSound = await fixture.advance { await drain.storeFailure == nil }
        #expect(isSound)
        let ticket = try await fixture.queue.enqueue(sample())
        #expect(try await ticket.outcome().isDone)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.store-rests: also if it fails in the middle of a check, and if it can be read in between.
    @Test func aCheckEndsWhereTheStoreFails() async throws {
        let faults = FailingStore.Faults()
        let fixture = try await EngineFixture(isOnline: false, store: FailingStore(faults: faults)) { _, _ in
            .status(200)
        }
        let (drain, clock) = (fixture.queue.drain, fixture.clock)
        let ticket = try await fixture.queue.enqueue(sample { $0.timeToLive = .seconds(60) })
        clock.advance(by: .seconds(61))
        // Both are due.
        faults.set([.expiry, .pruning])
        await fixture.queue.start()
        for (count, pause) in [(1, 250), (2, 500), (3, 1_000)] {
            #expect(await isEventually { faults.count >= count })
            for _ in 0..<2_000 { await Task.yield() }
            #expect(faults.count == count)
            #expect(await drain.storeFailure?.pause == .milliseconds(pause))
            #expect(await drain.nextPrune == nil)
            clock.advance(by: .milliseconds(pause))
        }
        faults.set([])
        #expect(await fixture.advance { await drain.nextPrune != nil })
        #expect(try await ticket.outcome().state == .expired)
        // A failure much later is another one.
        faults.set([.pruning])
        #expect(await fixture.advance(by: .seconds(3_600)) { await drain.storeFailure != nil })
        #expect(await drain.storeFailure?.pause == .milliseconds(250))
        await fixture.queue.stop(within: .zero)
    }

    /// queue.account-parks: entries of an earlier life are resumed, also if the store fails meanwhile.
    @Test func aResumptionThatFailsIsRepeated() async throws {
        let directory = QueueDirectory()
        let earlier = try await EngineFixture(store: SQLiteQueueStore(path: directory.file)) { _, _ in
            .status(401)
        }
        await earlier.queue.start()
        let id = try await earlier.queue.enqueue(sample()).id
        #expect(await earlier.advance { (try? await earlier.queue.counts()) == [.parked: 1] })
        await earlier.queue.stop(within: .zero)

        let faults = FailingStore.Faults()
        faults.set([.resumption])
        let store = FailingStore(SQLiteQueueStore(path: directory.file), faults: faults)
        let fixture = try await EngineFixture(store: store) { _, _ in .status(200) }
        await fixture.queue.start()
        #expect(await isEventually { faults.count > 0 })
        // Who asks for it is told.
        let error = await #expect(throws: QueueError.self) { _ = try await fixture.queue.resume() }
        #expect(error?.code == .unavailable)
        faults.set([])
        let isDone = await fixture.advance {
            (try? await fixture.queue.entries(QueueSelection(id)).first?.state) == .done
        }
        #expect(isDone)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.ticket-told: what another process has ended is told, also if it cannot be read at first.
    @Test func whatOthersHaveEndedIsToldAfterARest() async throws {
        let directory = QueueDirectory()
        let faults = FailingStore.Faults()
        let store = FailingStore(SQLiteQueueStore(path: directory.file), faults: faults)
        let fixture = try await EngineFixture(isOnline: false, store: store) { _, _ in .status(200) }
        let drain = fixture.queue.drain
        await fixture.queue.start()
        let ticket = try await fixture.queue.enqueue(sample())
        #expect(await isEventually { await drain.foreignVersion != nil })
        faults.set([.reading])
        let other = SQLiteQueueStore(path: directory.file)
        #expect(try other.cancel(QueueSelection(ticket.id), now: QueueTime(fixture.clock)) == [ticket.id])
        #expect(await fixture.advance { faults.count > 0 })
        faults.set([])
        #expect(await fixture.advance { fixture.queue.board.open.isEmpty })
        #expect(try await ticket.outcome().state == .cancelled)
        await fixture.queue.stop(within: .zero)
    }
}
