public import GatewayCore

/// A wall-clock time, in whole milliseconds since 1970-01-01T00:00:00Z. The wall clock may jump in both
/// directions.
public struct QueueTime: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970.
    public let milliseconds: Int64

    /// Creates a time.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The current wall-clock time.
    public init(_ clock: any GatewayClock) { milliseconds = clock.unixTime.wholeMilliseconds }

    /// The time plus a duration, clamped to the range of the type.
    public func adding(_ duration: Duration) -> QueueTime {
        QueueTime(milliseconds: milliseconds.addingClamped(duration.wholeMilliseconds))
    }

    /// The time since another one; negative if that is later.
    public func since(_ other: QueueTime) -> Duration {
        .milliseconds(milliseconds.subtractingClamped(other.milliseconds))
    }

    /// Whether the first is earlier.
    public static func < (a: QueueTime, b: QueueTime) -> Bool { a.milliseconds < b.milliseconds }
}
