public import GatewayCore
internal import GatewayNetworkMonitor

/// Adapts the deadlines and retries of calls to the quality of the network.
///
/// ```swift
/// configuration.network = monitor
/// configuration.networkAdaptation = NetworkAdaptation()
/// ```
/// A call without a deadline of its own gets the `timeout` of the quality's recommendation as its deadline, within
/// ``shortestDeadline`` and ``longestDeadline``; one without a retry policy of its own makes at most the recommended number of
/// retries, and never more than the engine's policy allows:
///
/// | Quality | Deadline | Retries at most |
/// |---|---|---|
/// | excellent | 10 s | 2 |
/// | good | 15 s | 3 |
/// | moderate | 30 s | 3 |
/// | poor | 60 s | 5 |
/// | offline | 5 s | 0 |
///
/// The quality is that of the way to the call's origin when the call begins. What a call, an operation or a generated client
/// sets is never changed, nor is a configuration without a deadline. The event `networkAdaptationChanged` tells the quality that
/// is in force for an origin, with the first call and whenever it is another one.
public struct NetworkAdaptation: Hashable, Sendable {
    /// No deadline is shorter. 5 s.
    public var shortestDeadline: Duration = .seconds(5)
    /// No deadline is longer. 60 s.
    public var longestDeadline: Duration = .seconds(60)
    /// No call makes more retries. 5.
    public var mostRetries = 5

    /// The defaults.
    public init() {}

    /// Checks the values.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured`, which names the property.
    public func validate() throws(NetworkError) {
        try NetworkError.require(shortestDeadline > .zero, "shortestDeadline", "must be more than 0")
        try NetworkError.require(
            longestDeadline >= shortestDeadline, "longestDeadline", "must be shortestDeadline or more")
        try NetworkError.require(mostRetries >= 0, "mostRetries", "must be 0 or more")
    }

    /// The deadline for a quality.
    func deadline(for quality: NetworkCondition.Quality) -> Duration {
        min(max(quality.recommendation.timeout, shortestDeadline), longestDeadline)
    }

    /// The largest number of retries for a quality.
    func retries(for quality: NetworkCondition.Quality) -> Int {
        min(quality.recommendation.retries, mostRetries)
    }
}
