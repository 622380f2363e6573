/// How important a call is, compared with other calls that wait for the same thing. An ``AdmissionControl`` reads it from
/// the context; nothing else does.
public struct CallPriority: Hashable, Comparable, Sendable {
    package let rank: UInt8

    /// Work that may wait, such as a prefetch.
    public static let low = CallPriority(rank: 0)
    /// The default.
    public static let normal = CallPriority(rank: 1)
    /// Somebody waits for the result.
    public static let high = CallPriority(rank: 2)
    /// It should go first, such as a payment or a health check.
    public static let critical = CallPriority(rank: 3)

    /// All priorities, the lowest first.
    public static let all: [CallPriority] = [.low, .normal, .high, .critical]

    /// Whether the first is less important.
    public static func < (a: CallPriority, b: CallPriority) -> Bool { a.rank < b.rank }
}

extension CallPriority: CustomStringConvertible {
    /// `low`, `normal`, `high` or `critical`.
    public var description: String { ["low", "normal", "high", "critical"][Int(min(rank, 3))] }
}
