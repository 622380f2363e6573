import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// A key stands for one request.
@Suite(.timeLimit(.minutes(5)), .tags(.concurrent)) struct QueueKeyTests {
    private static let changes: [@Sendable (inout QueueRequest) -> Void] = [
        { $0.request.method = .put }, { $0.request.target = "/v1/others" },
        { $0.request.target = "/v1/items?page=2" }, { $0.request.body = .text("{\"amount\":2}") },
        { $0.request.body = .empty },
    ]

    /// queue.keys: nobody is told that the second one is done.
    @Test(arguments: changes.indices, [false, true])
    func anotherRequestWithAKeyIsRefused(change: Int, isDone: Bool) async throws {
        let fixture = try await EngineFixture(isOnline: isDone)
        await fixture.queue.start()
        let keyed = try sample("{\"amount\":1}") { $0.idempotencyKey = "payment-7" }
        let first = try await fixture.queue.enqueue(keyed)
        if isDone {
            #expect(await fixture.advance { (try? await fixture.queue.counts()[.done]) == 1 })
        }
        var other = keyed
        Self.changes[change](&other)
        let second = other
        let error = await #expect(throws: QueueError.self) { _ = try await fixture.queue.enqueue(second) }
        #expect(error?.code == .conflict && error?.entry == first.id)
        #expect(error?.property == "idempotencyKey" && error?.message.contains("payment-7") == false)
        #expect(try await fixture.queue.entries().count == 1)
        // The same request is one with the first.
        let again = try await fixture.queue.enqueue(keyed)
        #expect(again.isDuplicate && again.id == first.id)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.keys: the request that is on its way has the old content.
    @Test func whatIsBeingSentStandsForNoLaterRequest() async throws {
        let gate = Gate()
        let fixture = try await EngineFixture { _, index in
            if index == 0 { await gate.pass() }
            return .status(200)
        }
        await fixture.queue.start()
        let first = try await fixture.queue.enqueue(sample("old") { $0.deduplicationKey = "profile" })
        await gate.waitForArrivals(1)
        let second = try await fixture.queue.enqueue(sample("new") { $0.deduplicationKey = "profile" })
        #expect(second.id != first.id && !second.isDuplicate)
        gate.open()
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.done]) == 2 })
        #expect(try await second.outcome().isDone)
        #expect(fixture.transport.requests.last?.body.bytes == Array("new".utf8))
        await fixture.queue.stop(within: .zero)
    }
}
