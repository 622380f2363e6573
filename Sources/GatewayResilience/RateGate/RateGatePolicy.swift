public import GatewayCore

/// Which rate limits of servers a ``RateGate`` respects, and how it releases waiting calls.
///
/// ```swift
/// var policy = RateGatePolicy.standard
/// policy.longestWait = .seconds(10)
/// configuration.protection.rateGate = try RateGate(policy)
/// ```
public struct RateGatePolicy: Hashable, Sendable {
    /// The calls to which a limit without a name applies.
    public enum Scope: String, Hashable, Sendable {
        /// All calls to the origin with the same credential.
        case origin
        /// All calls of the same operation. Calls without an operation form one group.
        case operation
    }

    /// The statuses that close a gate: 429 always; 403 with rate limit fields that report an exhausted
    /// quota, or that accompany `Retry-After`; any other status with `Retry-After`.
    public var statuses: Set<Int>
    /// Whether a gate is closed by the response that uses up a quota according to `RateLimit` or
    /// `RateLimit-Remaining`.
    public var obeysRemaining: Bool
    /// The same for `X-RateLimit-Remaining`. Why it is `false` by default: the meaning of the field is not
    /// standardized, and some servers send it without enforcing a limit.
    public var obeysLegacyRemaining: Bool
    /// The calls to which a limit without a name applies.
    public var scope: Scope
    /// How long a 429 without a time closes the gate, 1 ms to a minute. It is doubled for each consecutive
    /// rejection, up to a minute.
    public var pause: Duration
    /// The maximum wait of a call, zero to a day. A call whose turn comes later, or after its deadline,
    /// fails immediately.
    public var longestWait: Duration
    /// The initial number of calls that are released per second if the quota is unknown, more than 0 and at
    /// most 10,000. The pace is adapted from there.
    public var firstPace: Double
    /// The minimum number of calls that are released per second, more than 0 and at most ``firstPace``. It
    /// limits the wait that a long window causes.
    public var slowestPace: Double
    /// The maximum number of calls that wait for one gate, 1 to 1,000,000. Further calls fail immediately.
    /// Calls that are repeated after a 401 are not counted.
    public var maximumWaiting: Int

    /// Makes a policy. The defaults are those of ``standard``.
    public init(
        statuses: Set<Int> = [403, 429, 503], obeysRemaining: Bool = true, obeysLegacyRemaining: Bool = false,
        scope: Scope = .origin, pause: Duration = .seconds(1), longestWait: Duration = .seconds(60),
        firstPace: Double = 10, slowestPace: Double = 0.1, maximumWaiting: Int = 10_000
    ) {
        self.statuses = statuses
        self.obeysRemaining = obeysRemaining
        self.obeysLegacyRemaining = obeysLegacyRemaining
        self.scope = scope
        self.pause = pause
        self.longestWait = longestWait
        self.firstPace = firstPace
        self.slowestPace = slowestPace
        self.maximumWaiting = maximumWaiting
    }

    /// Respects `Retry-After` and the `RateLimit` fields; a call waits for at most 60 s.
    public static let standard = Self()
    /// As ``standard``, but a call waits for up to 10 min, if its deadline allows it.
    public static let patient = Self(longestWait: .seconds(600))
    /// As ``standard``, but no call waits: all fail immediately until the gate is open.
    public static let failFast = Self(longestWait: .zero)
    /// As ``standard``, and respects `X-RateLimit-Remaining` too.
    public static let cautious = Self(obeysLegacyRemaining: true)

    /// Checks the values.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured`; the message names the property.
    public func validate() throws(NetworkError) {
        try NetworkError.require(
            statuses.allSatisfy { (400...599).contains($0) && $0 != 401 }, "statuses",
            "must be from 400 to 599, without 401")
        try NetworkError.require(
            pause >= .milliseconds(1) && pause <= .seconds(60), "pause", "must be from 1 ms to 60 s")
        try NetworkError.require(
            longestWait >= .zero && longestWait <= RateLimitReport.longest, "longestWait",
            "must be from zero to a day")
        try NetworkError.require(
            firstPace > 0 && firstPace <= RatePace.fastest, "firstPace",
            "must be more than 0 and at most 10,000")
        try NetworkError.require(
            slowestPace >= 0.000_1 && slowestPace <= firstPace, "slowestPace",
            "must be from 0.0001 to firstPace")
        try NetworkError.require(
            (1...1_000_000).contains(maximumWaiting), "maximumWaiting", "must be from 1 to 1,000,000")
    }
}
