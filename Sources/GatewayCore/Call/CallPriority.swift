/// The importance of a call among the calls that wait for the same resource. Only an ``AdmissionControl`` reads it,
/// from the context.
public struct CallPriority: Hashable, Comparable, Sendable {
    package let rank: UInt8

    /// Work that can be delayed, such as a prefetch.
    public static let low = CallPriority(rank: 0)
    /// The default.
    public static let normal = CallPriority(rank: 1)
    /// A user waits for the result.
    public static let high = CallPriority(rank: 2)
    /// The most important calls, such as a payment or a health check.
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
