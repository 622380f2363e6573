import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayOfflineQueue

/// Ends of attempts are stored together while a server answers fast, and none waits long for others.
@Suite(.timeLimit(.minutes(5))) struct QueueGatheringTests {
    /// queue.gathered
    @Test func endsOfAttemptsDoNotWaitForOthers() async throws {
        let (count, answered) = (3_000, 1_500)
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
        // The clock stands still: what has ended may not be stored yet.
        await gate.waitForArrivals(4)
        let start = fixture.clock.now
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.done]) == answered })
        // The clock goes on while the loop has no processor. Without an alarm of its own only the next check would store them.
        #expect(start.duration(to: fixture.clock.now) < .seconds(600))
        gate.open()
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.done]) == count })
        await fixture.queue.stop(within: .zero)
    }

    /// queue.priority: what a fast server was to get next is given back when it becomes slow.
    @Test func anUrgentEntryDoesNotWaitForAllThatIsAtHand() async throws {
        let (count, fast) = (3_000, 1_500)
        let directory = QueueDirectory()
        let items = try (0..<count).map { try QueueItem(sample("\($0)"), now: QueueTime(ManualClock())) }
        _ = try SQLiteQueueStore(path: directory.file).insert(
            items, limits: QueueLimits(), now: QueueTime(ManualClock()))
        let gate = Gate()
        let slow = Locked<ManualClock?>(nil)
        let fixture = try await EngineFixture(
            store: SQLiteQueueStore(path: directory.file), { $0.attemptDeadline = .seconds(3_600) }
        ) { _, index in
            if index >= fast { await gate.pass() }
            if let clock = slow.withLock({ $0 }) { try? await clock.sleep(until: clock.now + .seconds(1)) }
            return .status(200)
        }
        await fixture.queue.start()
        await gate.waitForArrivals(4)
        let atHand = try #require(try await fixture.queue.counts()[.leased])
        #expect(atHand > 100, "Nothing is shown if little is at hand.")
        slow.withLock { $0 = fixture.clock }
        fixture.clock.advance(by: .seconds(2))
        let urgent = try await fixture.queue.enqueue(sample("urgent") { $0.priority = .critical })
        gate.open()
        #expect(
            await fixture.advance {
                (try? await fixture.queue.entries(QueueSelection(urgent.id)).first?.state) == .done
            })
        let place = fixture.transport.requests.firstIndex { $0.body.bytes == Array("urgent".utf8) }
        #expect((place ?? .max) < fast + 40, "\(place ?? -1) of \(atHand) at hand")
        await fixture.queue.stop(within: .zero)
    }
}
