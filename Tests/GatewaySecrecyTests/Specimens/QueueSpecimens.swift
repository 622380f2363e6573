import Foundation
import GatewayCore
import GatewayTesting

@testable import GatewayOfflineQueue

enum QueueSpecimens {
    static func all() async throws -> [Any] {
        let http = HTTPRequest(
            method: .post, origin: try Origin("https://api.example.com"), target: "/a?b=\(Marker.token)",
            fields: [.contentType: Marker.token], body: .text(Marker.text))
        let request = QueueRequest(
            http, idempotencyKey: Marker.text, deduplicationKey: Marker.text, orderingKey: Marker.text)
        let item = try QueueItem(request, now: QueueTime(milliseconds: 0))
        let entry = QueueEntry(id: QueueEntry.ID(1), item: item, state: .waiting)
        var selection = QueueSelection(entry.id)
        selection.deduplicationKey = Marker.text
        let lease = QueueLease(
            id: entry.id, owner: QueueOwner(1), attempt: 1, item: item, expires: item.expires,
            firstSent: item.created,
            wasSentBefore: false)
        let response = HTTPResponse(
            status: 200, fields: [.contentType: Marker.token], body: .bytes(Marker.bytes),
            exchange: Exchange(origin: http.origin))
        let outcome = QueueOutcome(id: entry.id, state: .done, response: response)

        let folder = FileManager.default.temporaryDirectory.appending(path: "\(Marker.token)-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "queue.sqlite").path
        let store = SQLiteQueueStore(path: path)
        _ = try store.insert([item], limits: QueueLimits(), now: item.created)
        let reader = try QueueFileReader(path: path)
        let memory = MemoryQueueStore()
        _ = memory.insert([item], limits: QueueLimits(), now: item.created)

        let queue = try await OfflineQueueEngine(store: MemoryQueueStore(), engine: Leaky())
        let call = try await preparedCall(http)
        return [
            request, item, entry, selection, lease,
            QueueLeaseRequest(count: 1, owner: lease.owner, now: item.created),
            QueueCompletion(lease, .done), QueueRecord(entry: entry, item: item, isBodyDamaged: false),
            outcome,
            store, reader, memory, queue, queue.configuration, queue.ticket(for: entry.id), call,
            TypedTicket(queue.ticket(for: entry.id), call), TypedOutcome<Int>.withoutResponse(outcome),
            try BackgroundQueueDrainer(), TimerDrainSchedule(),
            QueueVerdict.Facts(status: 200, fields: response.fields, wasSentBefore: false, unixTime: .zero),
        ]
    }

    private static func preparedCall(_ request: HTTPRequest) async throws -> PreparedCall<Int> {
        try await PreparedCall {
            if let call = CallInterception.current {
                _ = try call.send(request, RequestContext(options: CallOptions(), clock: SystemClock()))
            }
            return 1
        }
    }
}
