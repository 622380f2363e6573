/// An event of a client that does not belong to a single call. Events contain no secrets.
public struct StateEvent: Sendable {
    /// The time of the event, on the engine's clock.
    public let instant: ContinuousClock.Instant
    /// The origin that the event is about; `nil` if there is none, for example for a circuit breaker with its own name.
    public let origin: Origin?
    /// What happened.
    public let kind: Kind

    /// Creates an event.
    public init(instant: ContinuousClock.Instant = .now, origin: Origin?, kind: Kind) {
        self.instant = instant
        self.origin = origin
        self.kind = kind
    }

    /// The kinds of events.
    @nonexhaustive
    public enum Kind: Hashable, Sendable {
        /// A credential or a token request is sent over plain HTTP to a host in ``PlainHTTPHosts``. Recorded once for
        /// each origin by an engine, and once by its token transport.
        case sentOverPlainHTTP
        /// Fresh tokens were rejected repeatedly: refreshing is suspended for the origin, and calls whose token is
        /// rejected fail with the code ``NetworkError/refreshSuspended``.
        case refreshSuspended(for: Duration)
        /// A refreshed token was accepted again.
        case refreshResumed
        /// A retry was not made because the retry budget of the origin is exhausted. Recorded once until the budget has
        /// recovered.
        case retryBudgetExhausted
        /// The retry budget of the origin was exhausted and is full again. Recorded at the next call to the origin.
        case retryBudgetRecovered
        /// A hedge was not sent because the hedging budget of the origin is exhausted. Recorded once until the budget
        /// has recovered.
        case hedgeBudgetExhausted
        /// Many calls of an operation time out: the share (0 to 1) and the number of calls. Recorded once until the
        /// share is below half of the limit. The operation is `nil` for calls without one.
        case timeoutRateExceeded(operation: Operation?, rate: Double, calls: Int)
        /// The share of calls of the operation that time out is below half of the limit.
        case timeoutRateRecovered(operation: Operation?)
        /// The circuit breaker with this name rejects calls for this time.
        case circuitOpened(String, for: Duration)
        /// The open time of the circuit breaker with this name has ended: a few calls are admitted as probes.
        case circuitHalfOpened(String)
        /// The circuit breaker with this name admits calls again.
        case circuitClosed(String)
        /// The circuit breaker with this name was isolated: it rejects calls until it is reset.
        case circuitIsolated(String)
        /// The server limits the rate of calls. Calls of the limit with this name (empty for all calls) are delayed or
        /// fail for this time.
        case rateGateClosed(String, for: Duration, RateLimitReason)
        /// The delay has ended: the calls of the limit with this name are released one after the other. Recorded at the
        /// next call.
        case rateGateOpened(String)
        /// A response has a malformed or implausible value of this field, such as a delay of more than a day. It is
        /// ignored. Recorded once for each origin and field.
        case rateLimitFieldIgnored(String)
        /// The bulkhead rejected a call to the origin. With the limit of calls in progress, and the number of waiting
        /// calls. Recorded once until it has recovered.
        case bulkheadOverloaded(limit: Int, waiting: Int)
        /// The bulkhead had rejected calls to the origin. Now no call is waiting, and a quarter of the permits is free.
        case bulkheadRecovered
        /// The adaptive limit of calls to the origin has been halved or doubled since it was last recorded, or has
        /// reached a bound of its range.
        case concurrencyLimitChanged(from: Int, to: Int)
        /// The cache has removed this number of stored responses to free space.
        case cacheEvicted(Int)
        /// The store of the cache failed, with the name of the error code. The call continues without the cache.
        case cacheStoreFailed(String)
        /// The network became available, unavailable or another one, and the change persisted.
        case networkChanged(NetworkTransition.Kind)
        /// The network links cannot be read, for this reason, so the network is assumed to be available. Recorded once
        /// until they can be read again.
        case networkUnobservable(String)
        /// The quality of the network has changed: on the path to the event's origin, or of the whole network without
        /// an origin.
        case networkQualityChanged(from: NetworkCondition.Quality, to: NetworkCondition.Quality)
        /// An obstacle prevents calls although the links are up, or the obstacle has changed; `nil` if there is no
        /// obstacle any more.
        case networkObstacleChanged(NetworkObstacle?)
        /// Calls to the event's origin now use the limits and retries for this quality.
        case networkAdaptationChanged(NetworkCondition.Quality)
        /// An event of an offline queue.
        case queue(QueueEvent)
    }
}

extension RequestContext {
    /// Sends an event that does not belong to a call to the context's sink, if it is interested.
    package func record(_ kind: StateEvent.Kind, at origin: Origin) {
        guard let events, events.interests.contains(.state) else { return }
        events.record(StateEvent(instant: clock.now, origin: origin, kind: kind))
    }
}
