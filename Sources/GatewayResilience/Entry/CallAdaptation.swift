package import GatewayCore

/// Changes the defaults of calls that have no limits of their own.
package protocol CallAdaptation: Sendable {
    /// The quality of the way to an origin now. Read once a call.
    func quality(of origin: Origin) -> NetworkCondition.Quality

    /// The deadline of a call without one of its own.
    ///
    /// - Parameter deadline: the deadline that it has otherwise.
    func deadline(_ deadline: Duration?, for quality: NetworkCondition.Quality) -> Duration?

    /// The retry policy of a call without one of its own; `nil` for the engine's.
    func retry(for quality: NetworkCondition.Quality) -> (any RetryPolicy)?

    /// The time limits of each attempt of a call that it does not set itself; `nil` for those of the transport.
    func limits(for quality: NetworkCondition.Quality) -> AttemptLimits?

    /// Notes that a call to an origin begins.
    func begin(_ context: borrowing RequestContext, to origin: Origin, _ quality: NetworkCondition.Quality)
}
