/// Something that happened in a client and belongs to no single call. Events hold no secret.
public struct StateEvent: Sendable {
    /// When it happened, on the engine's clock.
    public let instant: ContinuousClock.Instant
    /// The origin that it is about; `nil` if it is about none, such as the change of a circuit breaker with a name of its
    /// own.
    public let origin: Origin?
    /// What happened.
    public let kind: Kind

    /// Creates an event.
    public init(instant: ContinuousClock.Instant = .now, origin: Origin?, kind: Kind) {
        self.instant = instant
        self.origin = origin
        self.kind = kind
    }

    /// What can happen.
    @nonexhaustive
    public enum Kind: Hashable, Sendable {
        /// A credential or a token request is sent over plain HTTP to a host that ``PlainHTTPHosts`` lists. Recorded once
        /// for each origin by an engine, and once by its transport of token requests.
        case sentOverPlainHTTP
        /// Fresh tokens were rejected again and again: refreshing for the origin is suspended for a time, and calls whose
        /// token is rejected fail with the code ``NetworkError/refreshSuspended``.
        case refreshSuspended(for: Duration)
        /// A refreshed token was accepted again.
        case refreshResumed
        /// A retry was refused because the origin's retry budget is exhausted. Recorded once until the budget has
        /// recovered.
        case retryBudgetExhausted
        /// The origin's retry budget was exhausted and is full again. Recorded with the next call to the origin.
        case retryBudgetRecovered
        /// Many calls of an operation time out: this share of so many calls. Recorded once until the share has fallen below
        /// half of the limit. The operation is `nil` for calls without one.
        case timeoutRateExceeded(operation: Operation?, rate: Double, calls: Int)
        /// The share of calls of the operation that time out has fallen below half of the limit.
        case timeoutRateRecovered(operation: Operation?)
        /// The circuit breaker of this name rejects calls for a time.
        case circuitOpened(String, for: Duration)
        /// The open time of the circuit breaker of this name is over: a few calls pass as probes.
        case circuitHalfOpened(String)
        /// The circuit breaker of this name lets calls pass again.
        case circuitClosed(String)
        /// The circuit breaker of this name was isolated: it rejects calls until it is reset.
        case circuitIsolated(String)
    }
}

extension RequestContext {
    /// Passes an event that belongs to no call to the context's sink, if there is one that wants it.
    package func record(_ kind: StateEvent.Kind, at origin: Origin) {
        guard let events, events.interests.contains(.state) else { return }
        events.record(StateEvent(instant: clock.now, origin: origin, kind: kind))
    }
}
