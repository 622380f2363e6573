import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// Entries that are leased ahead of their turn go back when the server is slow.
@Suite(.timeLimit(.minutes(5)), .tags(.concurrent)) struct QueueAtHandTests {
    /// queue.priority: what a fast server was to get next is given back when it becomes slow.
    @Test func anUrgentEntryDoesNotWaitForAllThatIsAtHand() async throws {
        let (count, fast) = (1_000, 500)
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

    /// queue.priority: what is kept at hand is for an origin that does not answer.
    @Test func anOriginThatDoesNotAnswerLeavesRoomToOthers() async throws {
        let gate = Gate()
        let slow = Locked<ManualClock?>(nil)
        // No attempt ends by itself.
        let fixture = try await EngineFixture({ $0.attemptDeadline = .seconds(10_000_000) }) { request, _ in
            if request.target.contains("/hangs") {
                await gate.pass()
            } else if let clock = slow.withLock({ $0 }) {
                try? await clock.sleep(until: clock.now + .milliseconds(300))
            }
            return .status(200)
        }
        slow.withLock { $0 = fixture.clock }
        for number in 0..<100 { _ = try await fixture.queue.enqueue(sample("\(number)")) }
        await fixture.queue.start()
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.done]) ?? 0 >= 25 })
        for number in 0..<20 {
            var request = QueueRequest(
                try HTTPRequest(.post, "https://other.example.com/hangs", body: .text("\(number)")))
            request.priority = .critical
            _ = try await fixture.queue.enqueue(request)
        }
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.done]) == 100 })
        #expect(gate.arrivals == 1)
        // They are not leased again and again.
        let attempts = try await fixture.queue.entries().filter { $0.path == "/hangs" }.map(\.attempts)
        #expect(attempts.count == 20 && attempts.allSatisfy { $0 <= 4 }, "\(attempts)")
        gate.open()
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.done]) == 120 })
        await fixture.queue.stop(within: .zero)
    }
}
