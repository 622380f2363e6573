internal import GatewayCore

/// Counts what a ``NetworkStatusLine`` shows. Each event returns the new line if it has changed.
struct StatusLineStateMachine: Sendable {
    /// Calls beyond this number are not counted.
    private static let capacity = 10_000

    private(set) var line: NetworkStatusLine
    private var retrying: Set<UInt64> = []

    init(_ condition: NetworkCondition, unixTime: Duration) {
        line = NetworkStatusLine(
            quality: condition.quality, offlineSince: condition.isOnline ? nil : unixTime,
            obstacle: condition.obstacle)
    }

    mutating func observe(_ condition: NetworkCondition, unixTime: Duration) -> NetworkStatusLine? {
        let since = condition.isOnline ? nil : line.offlineSince ?? unixTime
        return change(
            NetworkStatusLine(
                quality: condition.quality, retrying: line.retrying, queued: line.queued, offlineSince: since,
                obstacle: condition.obstacle))
    }

    /// A call is sent again until it ends.
    mutating func observe(_ kind: RequestEvent.Kind, of call: UInt64) -> NetworkStatusLine? {
        switch kind {
        case .retryScheduled: if retrying.count < Self.capacity { retrying.insert(call) }
        case .succeeded, .failed, .cancelled: retrying.remove(call)
        default: return nil
        }
        return change(queued: line.queued)
    }

    mutating func observe(queued: Int) -> NetworkStatusLine? { change(queued: max(0, queued)) }

    private mutating func change(queued: Int) -> NetworkStatusLine? {
        change(
            NetworkStatusLine(
                quality: line.quality, retrying: retrying.count, queued: queued,
                offlineSince: line.offlineSince, obstacle: line.obstacle))
    }

    private mutating func change(_ next: NetworkStatusLine) -> NetworkStatusLine? {
        guard next != line else { return nil }
        line = next
        return next
    }
}
