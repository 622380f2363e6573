public import GatewayCore

/// A time of the wall clock, in whole milliseconds since 1970-01-01T00:00:00Z. It may jump in both directions.
public struct QueueTime: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970.
    public let milliseconds: Int64

    /// Creates a time.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The wall clock's now.
    public init(_ clock: any GatewayClock) { milliseconds = clock.unixTime.wholeMilliseconds }

    /// The time that is so much later, within the range of the type.
    public func adding(_ duration: Duration) -> QueueTime {
        QueueTime(milliseconds: milliseconds.addingClamped(duration.wholeMilliseconds))
    }

    /// The time since an earlier one; negative if it is later.
    public func since(_ other: QueueTime) -> Duration {
        .milliseconds(milliseconds.subtractingClamped(other.milliseconds))
    }

    /// Whether the first is earlier.
    public static func < (a: QueueTime, b: QueueTime) -> Bool { a.milliseconds < b.milliseconds }
}
