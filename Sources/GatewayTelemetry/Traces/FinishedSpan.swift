import GatewayCore

/// A span that has ended.
struct FinishedSpan: Sendable {
    /// The raw value is that of OTLP.
    enum Kind: UInt64, Sendable {
        case `internal` = 1
        case client = 3
    }

    /// An attribute of a span, an event or a resource.
    struct Attribute: Hashable, Sendable {
        enum Value: Hashable, Sendable {
            case text(String)
            case integer(Int)
            case number(Double)
        }

        let key: String
        let value: Value

        init(_ key: String, _ value: Value) {
            self.key = key
            self.value = value
        }

        init(_ key: String, _ text: String) { self.init(key, .text(text)) }

        init(_ key: String, _ number: Int) { self.init(key, .integer(number)) }

        /// A duration in seconds.
        init(_ key: String, _ duration: Duration) {
            self.init(key, .number(Double(duration.metricNanoseconds) / 1e9))
        }
    }

    /// Something that happened within the span.
    struct Event: Hashable, Sendable {
        let name: String
        /// Since 1970.
        let unixNanoseconds: UInt64
        let attributes: [Attribute]
    }

    /// The limits of OpenTelemetry's SDKs for a span.
    static let eventLimit = 128
    static let linkLimit = 128

    /// The trace, the span's ID, the flags and the state.
    let position: TraceContext
    /// 0 if it has no parent.
    let parentSpanID: UInt64
    /// Whether the parent is known to be a span of this process.
    let hasLocalParent: Bool
    let name: String
    let kind: Kind
    /// Since 1970. Not more than ``endNanoseconds``.
    let startNanoseconds: UInt64
    let endNanoseconds: UInt64
    let attributes: [Attribute]
    let events: [Event]
    let droppedEvents: Int
    /// The positions of linked spans.
    let links: [TraceContext]
    let isError: Bool
}

/// The time of a span by the wall clock at its end and distances on the monotonic clock, so that no duration is negative if the
/// wall clock is set back.
struct SpanTime: Sendable {
    let start: UInt64
    let end: UInt64
    private let endTime: MonotonicTime

    init(endingAt time: MonotonicTime, unixTime: Duration, duration: Duration) {
        end = unixTime.metricNanoseconds
        start = end.subtractingClamped(duration.metricNanoseconds)
        endTime = time
    }

    /// The Unix time of a time within the span, in nanoseconds.
    func unixNanoseconds(of time: MonotonicTime) -> UInt64 {
        max(start, end.subtractingClamped(time.duration(to: endTime).metricNanoseconds))
    }
}
