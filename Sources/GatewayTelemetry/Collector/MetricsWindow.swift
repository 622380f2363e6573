/// A window of time that ends now. Percentiles since the start of a process hardly move after a day; those of a window do.
///
/// A window moves in steps: it covers its length and up to one step more.
@nonexhaustive
public enum MetricsWindow: CaseIterable, Hashable, Sendable {
    /// 10 s, in steps of 2 s.
    case tenSeconds
    /// 1 min, in steps of 10 s.
    case oneMinute
    /// 5 min, in steps of 1 min.
    case fiveMinutes

    /// The length.
    public var length: Duration {
        switch self {
        case .tenSeconds: .seconds(10)
        case .oneMinute: .seconds(60)
        case .fiveMinutes: .seconds(300)
        }
    }

    /// The number of whole steps in the length.
    var stepCount: Int {
        switch self {
        case .tenSeconds, .fiveMinutes: 5
        case .oneMinute: 6
        }
    }

    /// The length of a step, in nanoseconds.
    var stepNanoseconds: UInt64 { length.metricNanoseconds / UInt64(stepCount) }
}
