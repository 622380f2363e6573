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
        /// A hedge was not sent because the origin's budget for hedges is exhausted. Recorded once until the budget has
        /// recovered.
        case hedgeBudgetExhausted
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
        /// The server limits the rate of calls: those of the limit of this name (empty for all) wait for a time, or fail.
        case rateGateClosed(String, for: Duration, RateLimitReason)
        /// The time is over: the calls of the limit of this name are released one after the other. Recorded when a call
        /// notices it.
        case rateGateOpened(String)
        /// A response has this field, and its value is malformed or absurd, such as a wait of more than a day. It is
        /// ignored. Recorded once for each origin and field.
        case rateLimitFieldIgnored(String)
        /// A call to the origin was turned away by the bulkhead. With the limit of calls in progress, and the number that
        /// waited. Recorded once until it has recovered.
        case bulkheadOverloaded(limit: Int, waiting: Int)
        /// The bulkhead turned calls to the origin away; now none waits, and a quarter of the permits is free.
        case bulkheadRecovered
        /// The adaptive limit of calls to the origin was halved or doubled, or has reached a bound of its range, since it was
        /// last recorded.
        case concurrencyLimitChanged(from: Int, to: Int)
        /// The cache has removed this many stored responses to make room for another one.
        case cacheEvicted(Int)
        /// The store of the cache has failed, with the name of the error's code. The call goes on without it.
        case cacheStoreFailed(String)
        /// The network has come, gone or changed, and that has lasted.
        case networkChanged(NetworkTransition.Kind)
        /// The links cannot be read, for this reason: the network is taken to be there. Recorded once until they can be read
        /// again.
        case networkUnobservable(String)
        /// The quality of the network has changed: of the way to the event's origin, or of all if it has none.
        case networkQualityChanged(from: NetworkCondition.Quality, to: NetworkCondition.Quality)
        /// Something keeps calls from their servers although the links are up, or another thing does than before; `nil` when
        /// nothing does any more.
        case networkObstacleChanged(NetworkObstacle?)
        /// Calls to the event's origin have the limits and retries for this quality from now on.
        case networkAdaptationChanged(NetworkCondition.Quality)
        /// Something happened in an offline queue.
        case queue(QueueEvent)
    }
}

extension RequestContext {
    /// Passes an event that belongs to no call to the context's sink, if there is one that wants it.
    package func record(_ kind: StateEvent.Kind, at origin: Origin) {
        guard let events, events.interests.contains(.state) else { return }
        events.record(StateEvent(instant: clock.now, origin: origin, kind: kind))
    }
}
