public import GatewayCore

/// Adapts the deadlines, time limits and retries of calls to the quality of the network.
///
/// ```swift
/// configuration.network = monitor
/// configuration.networkAdaptation = NetworkAdaptation()
/// ```
/// A call without a deadline gets the `timeout` of the quality's recommendation as its deadline, within
/// ``shortestDeadline`` and ``longestDeadline``; one without a retry policy makes at most the recommended number of
/// retries, and never more than the engine's policy allows:
///
/// | Quality | Deadline | Retries at most | Limits of an attempt |
/// |---|---|---|---|
/// | excellent | 10 s | 2 | a third |
/// | good | 15 s | 3 | half |
/// | moderate | 30 s | 3 | as configured |
/// | poor | 60 s | 5 | double |
/// | offline | 5 s | 0 | a sixth |
///
/// The limits of an attempt (`transport.timeouts` of an engine over libcurl) change in proportion to the deadline,
/// which is 30 s where they remain as they are. Those to connect and to the first byte become shorter or longer; those
/// to read, to write and of the whole attempt become longer only, since the pauses of a stream are not those of the
/// network. The wait for a connection remains.
///
/// The quality is that of the way to the call's origin when the call begins. What a call, an operation or a generated
/// client sets is never changed, nor is a configuration without a deadline. The event `networkAdaptationChanged` tells
/// the quality that is in force for an origin, with the first call and whenever it is another one.
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

    /// The limits of an attempt for a quality, without that of the wait for a connection.
    ///
    /// - Parameter limits: those for a moderate quality.
    func limits(_ limits: AttemptLimits, for quality: NetworkCondition.Quality) -> AttemptLimits {
        let factor = deadline(for: quality) / NetworkCondition.Quality.moderate.recommendation.timeout
        return AttemptLimits(
            connect: limits.connect?.scaled(by: factor), firstByte: limits.firstByte?.scaled(by: factor),
            read: limits.read?.scaled(by: max(1, factor)), write: limits.write?.scaled(by: max(1, factor)),
            whole: limits.whole?.scaled(by: max(1, factor)))
    }

    /// The largest number of retries for a quality.
    func retries(for quality: NetworkCondition.Quality) -> Int {
        min(quality.recommendation.retries, mostRetries)
    }
}
