import GatewayCore

/// Decides which traces are recorded.
///
/// The decision of a share depends on the last 56 bits of the trace ID alone, so that all services with the same share record
/// the same traces (OpenTelemetry, `TraceIdRatioBased` and probability sampling).
public struct TraceSampler: Hashable, Sendable {
    /// 2^56 possible values of the random part of a trace ID.
    private static let range = 72_057_594_037_927_936.0

    /// The least random part that is recorded.
    private let threshold: UInt64
    /// Whether the decision of the caller is taken over.
    private let followsParent: Bool

    private init(share: Double, followsParent: Bool) {
        let share = share.isNaN ? 1 : min(1, max(0, share))
        threshold = UInt64((1 - share) * Self.range)
        self.followsParent = followsParent
    }

    private init(threshold: UInt64, followsParent: Bool) {
        self.threshold = threshold
        self.followsParent = followsParent
    }

    /// Records every trace: `always_on`.
    public static let alwaysOn = TraceSampler(share: 1, followsParent: false)
    /// Records no trace: `always_off`.
    public static let alwaysOff = TraceSampler(share: 0, followsParent: false)

    /// Records a share of the traces, from 0 to 1: `traceidratio`. Others are clamped; a value that is not a number counts as 1.
    public static func share(_ share: Double) -> TraceSampler {
        TraceSampler(share: share, followsParent: false)
    }

    /// Takes over the decision of the caller, and decides only on traces that begin here: `parentbased_always_on`,
    /// `parentbased_always_off` or `parentbased_traceidratio`.
    public var parentBased: TraceSampler { TraceSampler(threshold: threshold, followsParent: true) }

    /// Whether a trace is recorded.
    ///
    /// - Parameters:
    ///   - parent: the position of the caller; `nil` if the trace begins here.
    ///   - traceIDLow: the lower half of the trace ID.
    func isSampled(parent: TraceContext?, traceIDLow: UInt64) -> Bool {
        if followsParent, let parent { return parent.isSampled }
        return traceIDLow & 0xFF_FFFF_FFFF_FFFF >= threshold
    }
}
