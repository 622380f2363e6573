public import GatewayCore

/// Adapts the deadlines, time limits and retries of calls to the quality of the network.
///
/// ```swift
/// configuration.network = monitor
/// configuration.networkAdaptation = NetworkAdaptation()
/// ```
/// A call without a deadline gets the `timeout` recommended for the quality, between ``shortestDeadline``
/// and ``longestDeadline``; a call without a retry policy makes at most the recommended number of retries,
/// and never more than the engine's policy allows:
///
/// | Quality | Deadline | Retries at most | Limits of an attempt |
/// |---|---|---|---|
/// | excellent | 10 s | 2 | a third |
/// | good | 15 s | 3 | half |
/// | moderate | 30 s | 3 | as configured |
/// | poor | 60 s | 5 | double |
/// | offline | 5 s | 0 | a sixth |
///
/// The limits of an attempt (`transport.timeouts` of an engine that uses libcurl) are scaled by the ratio of
/// the deadline to 30 s. Those of connecting and of the first byte become shorter or longer; those of
/// reading, of writing and of the whole attempt only become longer, because pauses of a stream are not
/// caused by the network. The limit of the wait for a connection does not change.
///
/// The quality is that of the path to the call's origin when the call begins. Values that a call, an
/// operation or a generated client sets are never changed, nor is a configuration without a deadline. The
/// event `networkAdaptationChanged` reports the quality that is applied to an origin, with the first call
/// and whenever it changes.
public struct NetworkAdaptation: Hashable, Sendable {
    /// The minimum deadline. Defaults to 5 s.
    public var shortestDeadline: Duration = .seconds(5)
    /// The maximum deadline. Defaults to 60 s.
    public var longestDeadline: Duration = .seconds(60)
    /// The maximum number of retries of a call. Defaults to 5.
    public var mostRetries = 5

    /// The defaults.
    public init() {}

    /// Checks the values.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured`; the message names the property.
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

    /// The limits of an attempt for a quality, without the limit of the wait for a connection.
    ///
    /// - Parameter limits: the limits for a moderate quality.
    func limits(_ limits: AttemptLimits, for quality: NetworkCondition.Quality) -> AttemptLimits {
        let factor = deadline(for: quality) / NetworkCondition.Quality.moderate.recommendation.timeout
        return AttemptLimits(
            connect: limits.connect?.scaled(by: factor), firstByte: limits.firstByte?.scaled(by: factor),
            read: limits.read?.scaled(by: max(1, factor)), write: limits.write?.scaled(by: max(1, factor)),
            whole: limits.whole?.scaled(by: max(1, factor)))
    }

    /// The maximum number of retries for a quality.
    func retries(for quality: NetworkCondition.Quality) -> Int {
        min(quality.recommendation.retries, mostRetries)
    }
}
