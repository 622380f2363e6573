import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// The entries of an owner that has ended are sent by another one, and those of an owner that lives are not.
@Suite(.timeLimit(.minutes(5)), .tags(.concurrent)) struct QueueTakeoverTests {
    private let directory = QueueDirectory()

    /// An owner with an attempt in progress.
    private func owner() throws -> any QueueOwnership {
        let store = SQLiteQueueStore(path: directory.file)
        let ownership = try store.join(SystemRandomSource())
        let now = QueueTime(ManualClock())
        _ = try store.insert([QueueItem(sample(), now: now)], limits: QueueLimits(), now: now)
        let request = QueueLeaseRequest(count: 1, owner: ownership.owner, now: now)
        #expect(try store.lease(request).leases.count == 1)
        return ownership
    }

    /// Returns when everything is done that is due.
    private func hasChecked(_ fixture: EngineFixture) async -> Bool {
        await isEventually { await fixture.queue.drain.nextCheck.map { fixture.clock.now < $0 } ?? false }
    }

    /// queue.one-owner, queue.live-owner-keeps
    @Test func theNextCheckAfterTheEndOfAnOwnerTakesItsEntriesOver() async throws {
        var ownership: (any QueueOwnership)? = try owner()
        let fixture = try await EngineFixture(store: SQLiteQueueStore(path: directory.file)) { _, _ in
            .status(200)
        }
        // By default there are two checks in the second that a takeover may take.
        let interval = OfflineQueueEngine.Configuration().checkInterval
        #expect(interval * 2 <= .seconds(1))
        await fixture.queue.start()
        for _ in 0..<4 {
            #expect(await hasChecked(fixture))
            #expect(ownership != nil && fixture.transport.requests.isEmpty)
            fixture.clock.advance(by: interval)
        }
        #expect(await hasChecked(fixture))
        #expect(try await fixture.queue.counts() == [.leased: 1])
        ownership = nil
        fixture.clock.advance(by: interval)
        #expect(await isEventually { (try? await fixture.queue.counts()) == [.done: 1] })
        #expect(fixture.transport.requests.count == 1)
        #expect(fixture.queueEvents.contains(.reclaimed(1)))
        await fixture.queue.stop(within: .zero)
    }
}
