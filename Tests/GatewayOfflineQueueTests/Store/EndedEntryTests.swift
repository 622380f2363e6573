import Foundation
import GatewayCore
import GatewayQueueTesting
import Testing

@testable import GatewayOfflineQueue

/// What remains of entries that have ended.
@Suite(.timeLimit(.minutes(2))) struct EndedEntryTests {
    private let directory = QueueDirectory()

    private func item(_ number: Int, _ change: (inout QueueRequest) -> Void = { _ in }) throws -> QueueItem {
        let http = try HTTPRequest(
            .post, "https://api.example.com/v1/items?name=planted",
            fields: [.contentType: "application/json; profile=planted", "If-Match": "planted"],
            body: .text("planted body \(number)"))
        var request = QueueRequest(http, idempotencyKey: "key-\(number)")
        change(&request)
        return try QueueItem(request, now: .start)
    }

    private func hasValues() throws -> Bool {
        try Data(contentsOf: URL(fileURLWithPath: directory.file)).range(of: Data("planted".utf8)) != nil
    }

    /// queue.ended-without-values
    @Test(
        arguments: ["done", "done together", "done unsent", "expired", "cancelled", "superseded", "dropped"])
    func queriesAndFieldsAreRemovedFromTheFile(ending: String) throws {
        let store = SQLiteQueueStore(path: directory.file)
        let items = try (0..<6).map { number in
            try item(number) {
                if ending == "superseded" { $0.deduplicationKey = "same-\(number)" }
                if ending == "expired" { $0.timeToLive = .seconds(5) }
            }
        }
        var ids: [QueueEntry.ID] = []
        for item in items { ids += try store.add(item) }
        #expect(try hasValues())
        switch ending {
        case "done":
            // One by one: they are in no run.
            for id in ids {
                let lease = try #require(try store.lease(1, at: .at(1)).first)
                #expect(lease.id == id)
                #expect(try store.finish([QueueCompletion(lease, .done)], now: .at(2)) == [true])
            }
        case "done together", "done unsent":
            let completions = try store.lease(6, at: .at(1)).map {
                QueueCompletion($0, .done, mayHaveBeenSent: ending == "done together")
            }
            #expect(try store.finish(completions, now: .at(2)) == [Bool](repeating: true, count: 6))
        case "expired": #expect(try store.expire(now: .at(10)) == ids)
        case "cancelled": #expect(try store.cancel(QueueSelection(), now: .at(1)) == ids)
        case "superseded":
            for number in 0..<6 {
                _ = try store.add(
                    .sample("new") {
                        $0.deduplicationKey = "same-\(number)"
                        $0.supersedes = true
                    })
            }
        default:
            let limits = QueueLimits(count: 6, policy: .dropOldest)
            for _ in 0..<6 { _ = try store.insert([.sample("new")], limits: limits, now: .at(1)) }
        }
        let entries = try store.entries(QueueSelection()).filter { ids.contains($0.id) }
        let isNamed = entries.allSatisfy { ending.hasPrefix($0.state.name) }
        #expect(entries.count == 6 && isNamed, "\(entries.map(\.state))")
        #expect(entries.allSatisfy { $0.path == "/v1/items" && $0.bodyBytes == 14 })
        #expect(try !hasValues())
        #expect(try store.check())
        // A request that was sent is known by its key.
        guard ending.hasPrefix("done") else { return }
        for (item, id) in zip(items, ids) { #expect(try store.add(item) == [id]) }
    }

    /// What is still to be sent, or waits for a decision, keeps everything.
    @Test func othersKeepWhatTheySend() throws {
        let store = SQLiteQueueStore(path: directory.file)
        let item = try item(1)
        let ids = try store.add(item)
        for result in [QueueCompletion.Result.poison, .released, .postponed(until: .at(3))] {
            let lease = try #require(try store.lease(at: .at(4)).first)
            #expect(lease.item == item)
            #expect(try store.finish([QueueCompletion(lease, result)], now: .at(4)) == [true])
            if result == .poison { #expect(try store.retry(ids[0], now: .at(4))) }
        }
        #expect(try store.lease(at: .at(5)).map(\.item) == [item])
    }

    @Test func anEndedItemKnowsItsTarget() throws {
        let (one, other) = (try item(1), try QueueItem.sample("x"))
        let kept = try #require(one.withoutValues)
        #expect(kept.fields.isEmpty && kept.body.isEmpty && kept.idempotencyKey == one.idempotencyKey)
        #expect(!kept.target.contains("planted") && kept.hasTarget(of: one) && one.hasTarget(of: one))
        #expect(!kept.hasTarget(of: other) && !one.hasTarget(of: other))
        let plain = try HTTPRequest(
            .post, "https://api.example.com/v1/items", fields: [.contentType: "application/json"])
        #expect(try QueueItem(QueueRequest(plain), now: .start).withoutValues == nil)
    }
}
