public import GatewayCore

/// The limits of concurrent and waiting calls, and the order of waiting calls.
///
/// ```swift
/// var policy = BulkheadPolicy.server
/// policy.perOrigin = .fixed(32)
/// policy.ageing = .seconds(2)
/// configuration.protection.bulkhead = policy
/// ```
public struct BulkheadPolicy: Hashable, Sendable {
    /// The maximum number of calls in progress to an origin.
    @nonexhaustive
    public enum Limit: Hashable, Sendable {
        /// A fixed limit, 1 or more.
        case fixed(Int)
        /// A limit within a range that adapts to the latency of responses. It begins with the lower bound,
        /// and is reduced when calls time out.
        case adaptive(ClosedRange<Int>)
    }

    /// The maximum number of calls in progress to an origin, 1 to 1,000,000.
    public var perOrigin: Limit
    /// The maximum number of calls in progress in total, 1 to 1,000,000; not less than ``perOrigin``.
    public var inAll: Int
    /// The maximum number of waiting calls to an origin, 0 to 1,000,000. If another call arrives, the one
    /// that would be served last is rejected. Calls that are repeated after a 401 are not counted, and are
    /// served first.
    public var waitingPerOrigin: Int
    /// The maximum number of waiting calls in total, 0 to 1,000,000; not less than ``waitingPerOrigin``.
    public var waitingInAll: Int
    /// The wait after which a call is treated as one of the next higher priority, 1 ms or longer. After that
    /// time at the highest priority it is served before all others.
    public var ageing: Duration
    /// The maximum wait of a call, more than zero; `nil` for the `timeouts.queue` of the transport in a
    /// client's engine, and otherwise for no limit besides the call's deadline. `CallOptions.limits.queue`
    /// takes precedence.
    public var longestWait: Duration?
    /// Whether a call is rejected as soon as its deadline is expected to pass before it is served, estimated
    /// from the duration of calls to the origin.
    public var shedsHopeless: Bool
    /// Whether the newest call of a priority is served first, instead of the oldest. Under overload more
    /// calls are served in time, because the callers of the oldest ones have often timed out.
    public var newestFirst: Bool

    /// Makes a policy.
    public init(
        perOrigin: Limit, inAll: Int, waitingPerOrigin: Int = 512, waitingInAll: Int = 2_048,
        ageing: Duration = .seconds(5), longestWait: Duration? = nil, shedsHopeless: Bool = true,
        newestFirst: Bool = false
    ) {
        self.perOrigin = perOrigin
        self.inAll = inAll
        self.waitingPerOrigin = waitingPerOrigin
        self.waitingInAll = waitingInAll
        self.ageing = ageing
        self.longestWait = longestWait
        self.shedsHopeless = shedsHopeless
        self.newestFirst = newestFirst
    }
}

extension BulkheadPolicy {
    /// For programs with a single user: 6 calls to an origin and 24 in total.
    public static let mobile = Self(perOrigin: .fixed(6), inAll: 24)
    /// For servers: 8 to 64 calls to an origin, adapted to its latency, and 256 in total.
    public static let server = Self(perOrigin: .adaptive(8...64), inAll: 256)
}

extension BulkheadPolicy {
    private static var numbers: ClosedRange<Int> { 1...1_000_000 }

    /// The highest limit of an origin.
    package var highestPerOrigin: Int {
        switch perOrigin {
        case .fixed(let limit): limit
        case .adaptive(let range): range.upperBound
        }
    }

    /// Checks the values.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured`; the message names the property.
    public func validate() throws(NetworkError) {
        let rule = "must be from 1 to 1,000,000"
        switch perOrigin {
        case .fixed(let limit):
            try NetworkError.require(Self.numbers.contains(limit), "perOrigin", rule)
        case .adaptive(let range):
            try NetworkError.require(
                Self.numbers.contains(range.lowerBound) && Self.numbers.contains(range.upperBound),
                "perOrigin", rule)
        }
        try NetworkError.require(Self.numbers.contains(inAll), "inAll", rule)
        try NetworkError.require(highestPerOrigin <= inAll, "inAll", "must be perOrigin or more")
        try NetworkError.require(
            (0...1_000_000).contains(waitingPerOrigin), "waitingPerOrigin", "must be from 0 to 1,000,000")
        try NetworkError.require(
            (0...1_000_000).contains(waitingInAll), "waitingInAll", "must be from 0 to 1,000,000")
        try NetworkError.require(
            waitingInAll >= waitingPerOrigin, "waitingInAll", "must be waitingPerOrigin or more")
        try NetworkError.require(ageing >= .milliseconds(1), "ageing", "must be 1 ms or longer")
        try NetworkError.require(
            longestWait.map { $0 > .zero } ?? true, "longestWait",
            "must be more than zero, or nil for the deadline alone")
    }
}
