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
        // Four attempts at a time: four are held by each gate.
        let gates = [Gate(), Gate(), Gate()]
        let fixture = try await EngineFixture(
            store: SQLiteQueueStore(path: directory.file), { $0.checkInterval = .seconds(3_600) }
        ) { _, index in
            if index >= answered { await gates[min((index - answered) / 4, 2)].pass() }
            return .status(200)
        }
        let (drain, clock) = (fixture.queue.drain, fixture.clock)
        func hasEnoughAtHand() async -> Bool {
            let (ready, size) = (await drain.ready.count, await drain.leaseSize)
            return ready >= max(QueueDrain.leastAtHand, size / 2)
        }
        await fixture.queue.start()
        await gates[0].waitForArrivals(4)
        #expect(await fixture.advance(by: QueueDrain.gatherTime) { await hasEnoughAtHand() })
        gates[0].open()
        await gates[1].waitForArrivals(4)
        let gathers = await isEventually {
            let (isEnough, end) = (await hasEnoughAtHand(), await drain.gathersUntil)
            return isEnough && end.map { clock.now < $0 } ?? false
        }
        try #require(gathers)
        // From here on the clock stands still: ends are gathered.
        let stored = try await fixture.queue.counts()[.done]
        gates[1].open()
        await gates[2].waitForArrivals(4)
        // What a round would do now.
        await drain.exchange()
        #expect(try await fixture.queue.counts()[.done] == stored)
        // Without an alarm of its own only the next check, in an hour, would store them.
        clock.advance(by: QueueDrain.gatherTime)
        #expect(await isEventually { (try? await fixture.queue.counts()[.done]) == answered + 8 })
        gates[2].open()
        await fixture.queue.stop(within: .zero)
    }
}
