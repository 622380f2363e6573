import Foundation
import GatewayCore
import GatewayQueueTesting
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// Those who wait for an entry are told what the store does with it without an attempt.
@Suite(.timeLimit(.minutes(5)), .tags(.concurrent)) struct SetAsideTests {
    private let directory = QueueDirectory()
    private let now = QueueTime(ManualClock())

    /// Returns when a ticket is told. The store is not asked for it.
    private func isTold(_ fixture: EngineFixture, _ id: QueueEntry.ID, _ state: QueueEntry.State) async
        -> Bool
    {
        let ticket = fixture.queue.board.ticket(id)
        return await fixture.advance { ticket.outcome?.state == state }
    }

    /// queue.ticket-told: the owner of an attempt was killed, and the server may have forgotten its key.
    @Test func anEntryThatBecomesAmbiguousIsTold() async throws {
        let store = MemoryQueueStore()
        let items = [
            try QueueItem(sample("1") { $0.repeatWindow = .zero }, now: now),
            try QueueItem(sample("2"), now: now),
        ]
        let ids = try store.add(items[0], items[1], at: now)
        #expect(try store.lease(1, at: now, owner: 99).map(\.id) == [ids[0]])
        let fixture = try await EngineFixture(store: store) { _, _ in .status(200) }
        let tickets = ids.map { fixture.queue.ticket(for: $0) }
        await fixture.queue.start()
        #expect(await isTold(fixture, ids[0], .ambiguous))
        #expect(await isTold(fixture, ids[1], .done))
        #expect(try await tickets[0].outcome().state == .ambiguous)
        #expect(fixture.queueEvents.contains(.moved(1, to: "ambiguous")))
        #expect(await fixture.queue.drain.report.ambiguous == 1)
        #expect(fixture.transport.requests.count == 1)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.ticket-told
    @Test func aDamagedEntryIsTold() async throws {
        let store = SQLiteQueueStore(path: directory.file)
        let large = try sample(String(repeating: "x", count: QueueBodies.largestInRow + 1))
        let fixture = try await EngineFixture(isOnline: false, store: store) { _, _ in .status(200) }
        let damaged = try await fixture.queue.enqueue(large)
        let other = try await fixture.queue.enqueue(sample())
        try Data([1]).write(to: URL(fileURLWithPath: "\(directory.file).bodies/\(damaged.id)"))
        await fixture.queue.start()
        fixture.network.report(.online)
        #expect(await isTold(fixture, damaged.id, .poison))
        #expect(await isTold(fixture, other.id, .done))
        #expect(try await damaged.outcome().reason == "damaged")
        #expect(fixture.queueEvents.contains(.moved(1, to: "poison")))
        #expect(await fixture.queue.drain.report.poison == 1)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.ticket-told: without an account nobody can sign in.
    @Test func anEntryWithoutAnAccountThatIsRejectedIsTold() async throws {
        let store = MemoryQueueStore()
        let item = try QueueItem(sample(), now: now)
        let ids = try store.add(item, at: now)
        let fixture = try await EngineFixture(store: store) { _, _ in .status(401) }
        let ticket = fixture.queue.ticket(for: ids[0])
        await fixture.queue.start()
        #expect(await isTold(fixture, ids[0], .poison))
        #expect(try await ticket.outcome().response?.status == 401)
        #expect(await fixture.queue.drain.report.poison == 1)
        await fixture.queue.stop(within: .zero)
    }
}
