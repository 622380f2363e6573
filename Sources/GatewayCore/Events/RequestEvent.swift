/// Something that happened to a call. Events hold no secret: no header value, query, body or token.
public struct RequestEvent: Sendable {
    /// When it happened, on the clock of the engine that makes the call.
    public let instant: ContinuousClock.Instant
    /// The call, ``RequestContext/callID``.
    public let callID: UInt64
    /// The position of the call in a distributed trace, if it has one.
    public let trace: TraceContext?
    /// The attempt that was made or is to be made next.
    public let attempt: AttemptInfo
    /// The operation, if it is known.
    public let operation: Operation?
    /// The origin that is called.
    public let origin: Origin
    /// The request's method.
    public let method: HTTPMethod
    /// What happened.
    public let kind: Kind

    /// Makes an event.
    public init(
        instant: ContinuousClock.Instant = .now, callID: UInt64, trace: TraceContext? = nil,
        attempt: AttemptInfo = .first, operation: Operation?, origin: Origin, method: HTTPMethod, kind: Kind
    ) {
        self.instant = instant
        self.callID = callID
        self.trace = trace
        self.attempt = attempt
        self.operation = operation
        self.origin = origin
        self.method = method
        self.kind = kind
    }

    /// What can happen to a call.
    ///
    /// A call has one `started` and then exactly one of `succeeded`, `failed` and `cancelled`. An attempt has one
    /// `attemptStarted` and then one `attemptEnded`.
    @nonexhaustive
    public enum Kind: Sendable {
        /// The call began.
        case started
        /// The call waits for the response of an equal call in progress, instead of sending its request.
        case deduplicated
        /// The call waited for its credential.
        case credentialWaited(Duration)
        /// A rate limit holds the call back: its turn comes in this time, unless the limit changes.
        case rateGateHeld(for: Duration)
        /// The call waited so long for its turn in a rate gate.
        case rateGateWaited(Duration)
        /// The attempt waited for its admission, as in a bulkhead.
        case admissionWaited(Duration)
        /// An attempt begins: it may still wait for its credential, its admission and a connection.
        case attemptStarted
        /// The attempt has a response, of any status, or failed. For a stream: its head has arrived.
        case attemptEnded(AttemptEnd)
        /// The call will be sent again after a delay.
        case retryScheduled(delay: Duration, status: Int?, error: NetworkError.Code?)
        /// An attempt failed, or its status is 400 or more, and no retry follows.
        case notRetried(RetryRefusal, status: Int?, error: NetworkError.Code?)
        /// A second attempt of the call begins, because the first one has taken so long.
        case hedged(after: Duration)
        /// One of the two attempts of a hedged call has brought its response, or both have failed. The other one may go on
        /// in the background.
        case hedgeDecided(HedgeOutcome)
        /// The cache was asked for a stored response. A request that is sent has `miss` first, and then `revalidated` or
        /// `stale` if a stored response is used after all.
        case cacheLookedUp(CacheResult)
        /// The response was stored, with a body of this size.
        case cacheStored(bytes: Int)
        /// A step of a fallback engine answered the call in place of an error, or of a response with a status that
        /// counts as one. It follows the end of the call that failed.
        case fallbackUsed(step: String, status: Int?, error: NetworkError.Code)
        /// The call continues at the target of a redirect.
        case redirected(status: Int, to: Origin)
        /// The gateway rejected the credential of this generation.
        case credentialRejected(generation: UInt64)
        /// The call is sent again with a credential of this generation or a later one.
        case replayed(generation: UInt64)
        /// An exchange on the wire has ended; for a stream, with its body. Recorded on the transport's thread.
        // Indirect, since it is by far the largest: the other events are smaller without it.
        indirect case exchanged(ExchangeTimings)
        /// The call ended with a response, of any status.
        case succeeded(status: Int, attempts: Int, duration: Duration)
        /// The call ended with an error.
        case failed(error: NetworkError.Code, attempts: Int, duration: Duration)
        /// The call's task was cancelled.
        case cancelled(attempts: Int, duration: Duration)
    }
}

/// Which attempt of a hedged call brought its response.
public enum HedgeOutcome: String, Hashable, Sendable {
    /// The first one.
    case first
    /// The second one, the hedge.
    case hedge
    /// None: both have failed.
    case none
}

/// What a cache has for a request.
@nonexhaustive
public enum CacheResult: String, Hashable, Sendable, CaseIterable {
    /// A fresh response, which is used.
    case hit
    /// A stale response, which is used: it is validated in the background, the caller accepts it, or the request failed.
    case stale
    /// Nothing that may be used without a request, which is sent.
    case miss
    /// The server has validated the stored response, which is used.
    case revalidated
}

/// How an attempt ended.
public struct AttemptEnd: Hashable, Sendable {
    /// What an attempt brings.
    public enum Outcome: Hashable, Sendable {
        /// A response, of this status.
        case response(status: Int)
        /// An error, in this phase if it is known.
        case error(NetworkError.Code, phase: NetworkError.Phase?)
    }

    /// What the attempt brought.
    public let outcome: Outcome
    /// The protocol and the peer; `nil` if there was no connection, or the transport does not tell. Transports determine it
    /// if the call's sink is interested in attempts.
    public let connection: ConnectionInfo?
    /// The time from the hand-over of the request to the transport until its end here; `nil` if nothing was sent. It has no
    /// wait for a credential or the admission control, but that for a connection.
    public let duration: Duration?

    /// Creates the end of an attempt.
    public init(_ outcome: Outcome, connection: ConnectionInfo? = nil, duration: Duration? = nil) {
        self.outcome = outcome
        self.connection = connection
        self.duration = duration
    }

    /// The end of an attempt that failed.
    package init(_ error: NetworkError, duration: Duration? = nil) {
        self.init(
            .error(error.code, phase: error.phase), connection: error.connection,
            duration: error.attempts > 0 ? duration : nil)
    }

    /// The end of an attempt with a response.
    package init(_ response: HTTPResponse, duration: Duration? = nil) {
        self.init(
            .response(status: response.status), connection: response.exchange.connection, duration: duration)
    }
}
