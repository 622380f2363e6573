package import GatewayCore

/// Changes the defaults of calls that have no limits of their own.
package protocol CallAdaptation: Sendable {
    /// The deadline of a call to an origin without one of its own.
    ///
    /// - Parameter deadline: the deadline that it has otherwise.
    func deadline(_ deadline: Duration?, of origin: Origin) -> Duration?

    /// The retry policy of a call to an origin without one of its own; `nil` for the engine's.
    func retry(of origin: Origin) -> (any RetryPolicy)?

    /// The time limits of each attempt of a call to an origin that it does not set itself; `nil` for those of the transport.
    func limits(of origin: Origin) -> AttemptLimits?

    /// Notes that a call to an origin begins.
    func begin(_ context: borrowing RequestContext, to origin: Origin)
}
