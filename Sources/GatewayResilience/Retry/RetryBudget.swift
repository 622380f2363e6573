public import GatewayCore

/// The maximum number of retries to an origin, so that retries do not multiply the load of a failing server.
///
/// Each origin has a separate token bucket. A retry takes a token; if there is none, the call ends with its
/// current response or error. Over any period, the retries to an origin are at most ``reserve``, plus
/// ``share`` of the requests, plus ``perSecond`` for each second.
///
/// A retry after a refused connection takes a token too. Redirects and the replays of authentication (after
/// a 401, for a nonce, for more scopes) take none, nor does a retry after a local rejection, because nothing
/// was sent.
///
/// ```swift
/// configuration.retry.budget = .strict
/// ```
public struct RetryBudget: Hashable, Sendable {
    /// The share of requests that may be retried, from 0 to 1.
    public var share: Double
    /// The number of retries per second that are always allowed, so that programs with few requests can
    /// retry. From 0 to 1,000,000, rounded to thousandths.
    public var perSecond: Double
    /// The capacity of the bucket, which is full at first. From 1 to 1,000,000.
    public var reserve: Int

    /// Creates a budget.
    ///
    /// - Parameters:
    ///   - share: the share of requests that may be retried, from 0 to 1.
    ///   - perSecond: the number of retries per second that are always allowed, from 0 to 1,000,000; rounded
    ///     to thousandths.
    ///   - reserve: the capacity of the bucket, from 1 to 1,000,000.
    public init(share: Double, perSecond: Double, reserve: Int) {
        self.share = share
        self.perSecond = perSecond
        self.reserve = reserve
    }

    /// 20 % of the requests and 10 retries per second, with a reserve of 100. The default.
    public static let standard = RetryBudget(share: 0.2, perSecond: 10, reserve: 100)
    /// 10 % of the requests and one retry per second, with a reserve of 10: for many clients of one server.
    public static let strict = RetryBudget(share: 0.1, perSecond: 1, reserve: 10)
    /// 50 % of the requests and 50 retries per second, with a reserve of 500.
    public static let generous = RetryBudget(share: 0.5, perSecond: 50, reserve: 500)

    /// Checks the values.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured`; the message names the property.
    public func validate() throws(NetworkError) {
        try NetworkError.require(share >= 0 && share <= 1, "share", "must be from 0 to 1")
        try NetworkError.require(
            perSecond >= 0 && perSecond <= 1_000_000, "perSecond", "must be from 0 to 1,000,000")
        try NetworkError.require(
            (1...1_000_000).contains(reserve), "reserve", "must be from 1 to 1,000,000")
    }
}
