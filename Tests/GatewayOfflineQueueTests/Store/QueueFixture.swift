import Foundation
import GatewayCore

@testable import GatewayOfflineQueue

/// A directory that is removed with its files.
final class QueueDirectory: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/queue-XXXXXX".utf8CString)
        path = String(cString: mkdtemp(&template))
    }

    var file: String { path + "/queue.sqlite" }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

/// Which store a test runs with.
enum StoreKind: CaseIterable, Sendable { case memory, file }

/// A store and what belongs to it.
struct StoreFixture {
    let directory = QueueDirectory()
    let store: any QueueStore

    init(_ kind: StoreKind) {
        store = kind == .memory ? MemoryQueueStore() : SQLiteQueueStore(path: directory.file)
    }
}

extension QueueTime {
    static let start = QueueTime(milliseconds: 1_700_000_000_000)

    /// Seconds after the start.
    static func at(_ seconds: Int64) -> QueueTime { start.adding(.seconds(seconds)) }
}

extension QueueItem {
    static func sample(
        _ text: String = "{}", at now: QueueTime = .start, _ change: (inout QueueRequest) -> Void = { _ in }
    ) throws -> QueueItem {
        var request = QueueRequest(
            try HTTPRequest(
                .post, "https://api.example.com/v1/items?q=1", fields: [.contentType: "application/json"],
                body: .text(text)))
        change(&request)
        return try QueueItem(request, now: now)
    }
}

extension QueueStore {
    /// Adds entries without limits.
    func add(_ items: QueueItem..., at now: QueueTime = .start) throws -> [QueueEntry.ID] {
        try insert(items, limits: QueueLimits(), now: now).map { insertion in
            switch insertion {
            case .stored(let id, _, _), .duplicate(let id): id
            default: throw QueueError(.full, "full")
            }
        }
    }

    func lease(_ count: Int = 10, at now: QueueTime = .start, owner: UInt64 = 1) throws -> [QueueLease] {
        try lease(QueueLeaseRequest(count: count, owner: QueueOwner(owner), now: now))
    }

    func state(_ id: QueueEntry.ID) throws -> QueueEntry.State? {
        try entries(QueueSelection(id)).first?.state
    }
}
