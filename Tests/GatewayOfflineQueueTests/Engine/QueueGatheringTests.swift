import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// Ends of attempts are stored together while a server answers fast, and none waits long for others.
@Suite(.timeLimit(.minutes(5)), .tags(.concurrent)) struct QueueGatheringTests {
    /// queue.gathered
    @Test func endsOfAttemptsDoNotWaitForOthers() async throws {
        let (count, answered) = (2_000, 400)
        let directory = QueueDirectory()
        let items = try (0..<count).map { try QueueItem(sample("\($0)"), now: QueueTime(ManualClock())) }
        _ = try SQLiteQueueStore(path: directory.file).insert(
            items, limits: QueueLimits(), now: QueueTime(ManualClock()))
        let gate = Gate()
        let fixture = try await EngineFixture(
            store: SQLiteQueueStore(path: directory.file), { $0.checkInterval = .seconds(3_600) }
        ) { _, index in
            if index >= answered { await gate.pass() }
            return .status(200)
        }
        await fixture.queue.start()
        // The clock stands still, and enough is at hand: what has ended may not be stored yet.
        await gate.waitForArrivals(4)
        let drain = fixture.queue.drain
        #expect(
            await isEventually {
                let (ready, size) = (await drain.ready.count, await drain.leaseSize)
                return ready >= max(QueueDrain.leastAtHand, size / 2)
            })
        let start = fixture.clock.now
        #expect(
            await fixture.advance(by: QueueDrain.gatherTime / 10) {
                (try? await fixture.queue.counts()[.done]) == answered
            })
        // Without an alarm of its own only the next check would store them.
        #expect(start.duration(to: fixture.clock.now) < .seconds(3_600))
        gate.open()
        await fixture.queue.stop(within: .zero)
    }
}
