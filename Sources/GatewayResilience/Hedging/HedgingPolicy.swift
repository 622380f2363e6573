public import GatewayCore

/// When a second request is sent because a response is slow, and how often.
///
/// A hedge is sent for `GET` and `HEAD` only, if the response takes longer than most of the operation's
/// latest responses. The first successful response is the response of the call. The other request ends in
/// the background, so that its connection is kept.
///
/// ```swift
/// configuration.protection.hedging = .standard
/// ```
/// No hedge is sent without enough latencies of the operation, for a retry, if it would have to wait for its
/// credential or its admission, while the circuit of the operation or its host is not closed, or without a
/// token of the budget. Each origin has a separate budget, which is empty at first: hedges never exceed
/// ``maximumShare`` of the requests.
public struct HedgingPolicy: Hashable, Sendable {
    /// The share of responses that are faster than the delay of a hedge, 0.5 to 0.999.
    public var percentile: Double
    /// The minimum delay of a hedge, 1 ms or more. A delay shorter than a second request takes is not
    /// useful.
    public var minimumDelay: Duration
    /// The delay of every hedge, which replaces ``percentile`` and ``minimumDelay``, 1 ms or more; `nil` for
    /// none.
    public var fixedDelay: Duration?
    /// The share of requests that may be sent a second time, more than 0 and at most 1.
    public var maximumShare: Double

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - percentile: the share of responses that are faster than the delay, 0.5 to 0.999.
    ///   - minimumDelay: the minimum delay, 1 ms or more.
    ///   - fixedDelay: the delay that replaces the percentile, 1 ms or more; `nil` for none.
    ///   - maximumShare: the share of requests that may be sent a second time, more than 0 and at most 1.
    public init(
        percentile: Double = 0.95, minimumDelay: Duration = .milliseconds(10), fixedDelay: Duration? = nil,
        maximumShare: Double = 0.05
    ) {
        self.percentile = percentile
        self.minimumDelay = minimumDelay
        self.fixedDelay = fixedDelay
        self.maximumShare = maximumShare
    }

    /// Hedges after the 95th percentile of the operation's latencies, at least 10 ms, for up to 5 % of the
    /// requests.
    public static let standard = HedgingPolicy()

    /// Checks the values.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured`; the message names the property.
    public func validate() throws(NetworkError) {
        try NetworkError.require(
            percentile >= 0.5 && percentile <= 0.999, "percentile", "must be from 0.5 to 0.999")
        try NetworkError.require(
            minimumDelay >= .milliseconds(1), "minimumDelay", "must be 1 ms or more")
        try NetworkError.require(
            fixedDelay.map { $0 >= .milliseconds(1) } ?? true, "fixedDelay",
            "must be 1 ms or more, or nil for none")
        try NetworkError.require(
            maximumShare > 0 && maximumShare <= 1, "maximumShare", "must be more than 0 and at most 1")
    }
}

/// The statistics of an engine's hedging.
public struct HedgingStatistics: Hashable, Sendable {
    /// The requests that could have been sent a second time.
    public internal(set) var requests = 0
    /// The hedges that were sent.
    public internal(set) var hedges = 0
    /// The hedges whose response was used.
    public internal(set) var wins = 0
    /// The hedges that were not sent because the budget was exhausted.
    public internal(set) var refusals = 0
    /// The hedges that were not sent because they would have had to wait, or were rejected.
    public internal(set) var drops = 0

    /// Nothing yet.
    init() {}
}
