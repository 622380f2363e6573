import GatewayCore
package import GatewayOfflineQueue

extension QueueTime {
    package static let conformanceStart = QueueTime(milliseconds: 1_700_000_000_000)

    /// Seconds after the start.
    package static func at(_ seconds: Int64) -> QueueTime { conformanceStart.adding(.seconds(seconds)) }
}

extension QueueItem {
    package static func conformanceSample(
        _ text: String = "{}", at now: QueueTime = .conformanceStart,
        _ change: (inout QueueRequest) -> Void = { _ in }
    ) throws(QueueError) -> QueueItem {
        let http: HTTPRequest
        do throws(NetworkError) {
            http = try HTTPRequest(
                .post, "https://api.example.com/v1/items?q=1", fields: [.contentType: "application/json"],
                body: .text(text))
        } catch { throw QueueError(.invalid, "the sample is not valid", property: "request") }
        var request = QueueRequest(http)
        change(&request)
        return try QueueItem(request, now: now)
    }
}

extension QueueStore {
    /// Adds entries without limits.
    package func add(_ items: QueueItem..., at now: QueueTime = .conformanceStart) throws(QueueError)
        -> [QueueEntry.ID]
    {
        let results = try insert(items, limits: QueueLimits(), now: now)
        return results.compactMap { insertion in
            switch insertion {
            case .stored(let id, _, _), .duplicate(let id): id
            default: nil
            }
        }
    }

    package func lease(
        _ count: Int = 10, at now: QueueTime = .conformanceStart, owner: UInt64 = 1
    ) throws(QueueError) -> [QueueLease] {
        try lease(QueueLeaseRequest(count: count, owner: QueueOwner(owner), now: now)).leases
    }

    package func state(_ id: QueueEntry.ID) throws(QueueError) -> QueueEntry.State? {
        try entries(QueueSelection(id)).first?.state
    }
}
