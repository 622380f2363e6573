/// An event of a call. Events contain no secrets: no header values but ``requestID``, no queries, bodies or tokens.
public struct RequestEvent: Sendable {
    /// The time of the event, on the clock of the engine that makes the call.
    public var instant: ContinuousClock.Instant { time.instant }
    package let time: MonotonicTime
    /// The ID of the call, ``RequestContext/callID``.
    public let callID: UInt64
    /// The position of the call in a distributed trace, if it has one.
    public let trace: TraceContext?
    /// The attempt that was made or is next.
    public let attempt: AttemptInfo
    /// The operation, if it is known.
    public let operation: Operation?
    /// The origin of the request; `https://unknown.invalid` if the call failed because its URL is invalid.
    public let origin: Origin
    /// The method of the request.
    public let method: HTTPMethod
    /// What happened.
    public let kind: Kind
    /// The ID that the server gave to the request, in the response that the event is about. It is read from the header
    /// fields that the sink names, ``RequestEventSink/requestIDFields``.
    ///
    /// It is text of the server: 1 to 128 letters, digits and characters of `-._~:/+=@#;,|`. Other values are ignored,
    /// and so is everything that looks like a JSON Web Token.
    public var requestID: String? { details?.requestID }
    /// The token request that the call has waited for, if the wait failed and token requests are traced.
    package var exchange: ExchangeSpan? { details?.exchange }
    /// What most events do not have. They are copied by each sink, so it is one reference.
    private let details: Details?

    /// Creates an event.
    public init(
        instant: ContinuousClock.Instant = .now, callID: UInt64, trace: TraceContext? = nil,
        attempt: AttemptInfo = .first, operation: Operation?, origin: Origin, method: HTTPMethod, kind: Kind,
        requestID: String? = nil
    ) {
        time = MonotonicTime(instant)
        self.callID = callID
        self.trace = trace
        self.attempt = attempt
        self.operation = operation
        self.origin = origin
        self.method = method
        self.kind = kind
        details = requestID == nil ? nil : Details(requestID: requestID, exchange: nil)
    }

    /// Creates an event of a call.
    ///
    /// - Parameter exchange: the token request of a wait that failed.
    @inline(__always)
    package init(
        _ kind: consuming Kind, at time: MonotonicTime, _ context: RequestContext, _ request: HTTPRequest,
        requestID: String? = nil, exchange: ExchangeSpan? = nil
    ) {
        self.time = time
        callID = context.callID
        trace = context.trace
        attempt = context.attempt
        operation = context.operation
        origin = request.origin
        method = request.method
        self.kind = kind
        details =
            requestID == nil && exchange == nil ? nil : Details(requestID: requestID, exchange: exchange)
    }

    private final class Details: Sendable {
        let requestID: String?
        let exchange: ExchangeSpan?

        init(requestID: String?, exchange: ExchangeSpan?) {
            self.requestID = requestID
            self.exchange = exchange
        }
    }

    /// The kinds of events of a call.
    ///
    /// A call has one `started` event and then exactly one of `succeeded`, `failed` and `cancelled`, also if it fails before
    /// anything is sent, for example because a credential is missing. A typed call whose response cannot be decoded ends
    /// with `failed`; its status is that of its last attempt. An attempt has one
    /// `attemptStarted` event and then one `attemptEnded` event.
    @nonexhaustive
    public enum Kind: Sendable {
        /// The call started.
        case started
        /// The call waits for the response of an equal call in progress instead of sending its request. `leader` is the ID
        /// of that call.
        case deduplicated(leader: UInt64)
        /// The call waited for its credential: before an attempt, or for a new one after a refusal. Also if the wait failed, for
        /// example at the deadline.
        case credentialWaited(Duration)
        /// A rate limit delays the call for this time, unless the limit changes.
        case rateGateHeld(for: Duration)
        /// The time that the call waited in a rate gate, also if the wait failed.
        case rateGateWaited(Duration)
        /// The time that the attempt waited for admission, such as a bulkhead, also if the wait failed.
        case admissionWaited(Duration)
        /// An attempt started. It may still wait for its credential, its admission and a connection. A hedge does not wait:
        /// it has no events unless it is sent.
        case attemptStarted
        /// The attempt has a response with any status, or failed. For a stream: its header fields were received.
        case attemptEnded(AttemptEnd)
        /// The call will be sent again after a delay.
        case retryScheduled(delay: Duration, status: Int?, error: NetworkError.Code?)
        /// An attempt failed, or its status is 400 or more, and no retry follows.
        case notRetried(RetryRefusal, status: Int?, error: NetworkError.Code?)
        /// A second attempt of the call is sent, because the first one takes too long.
        case hedged(after: Duration)
        /// One of the two attempts of a hedged call has a response, or both have failed. The other attempt may continue
        /// in the background.
        case hedgeDecided(HedgeOutcome)
        /// The result of a cache lookup. A request that is sent has `miss` first, and later `revalidated` or `stale` if
        /// a stored response is used after all.
        case cacheLookedUp(CacheResult)
        /// The response was stored, with a body of this size in bytes.
        case cacheStored(bytes: Int)
        /// A step of a fallback engine replaced an error, or a response whose status counts as one. The event follows
        /// the end of the failed call.
        case fallbackUsed(step: String, status: Int?, error: NetworkError.Code)
        /// The call continues at the target of a redirect.
        case redirected(status: Int, to: Origin)
        /// A response rejected the credential of this generation.
        case credentialRejected(generation: UInt64)
        /// The call is sent again with a credential of at least this generation.
        case replayed(generation: UInt64)
        /// An exchange ended; for a stream, including its body. Recorded on the transport's thread.
        // Indirect, because it is by far the largest case.
        indirect case exchanged(ExchangeTimings)
        /// The call ended with a response with any status.
        case succeeded(status: Int, attempts: Int, duration: Duration)
        /// The call ended with an error.
        // Indirect, because it is large and rare.
        indirect case failed(FailureCause, attempts: Int, duration: Duration)
        /// The task of the call was cancelled.
        case cancelled(attempts: Int, duration: Duration)
        /// The body of a streamed response ended early, after the call had ended with `succeeded`.
        indirect case bodyFailed(FailureCause)
    }
}

/// The attempt of a hedged call whose response is used.
public enum HedgeOutcome: String, Hashable, Sendable {
    /// The first attempt.
    case first
    /// The second attempt, the hedge.
    case hedge
    /// Neither: both failed.
    case none
}

/// The result of a cache lookup.
@nonexhaustive
public enum CacheResult: String, Hashable, Sendable, CaseIterable {
    /// A fresh response, which is used.
    case hit
    /// A stale response, which is used because it is being revalidated in the background, the caller accepts it, or the
    /// request failed.
    case stale
    /// No response that can be used without a request. The request is sent.
    case miss
    /// The server has revalidated the stored response, which is used.
    case revalidated
}

/// The end of an attempt.
public struct AttemptEnd: Hashable, Sendable {
    /// The result of an attempt.
    public enum Outcome: Hashable, Sendable {
        /// A response with this status.
        case response(status: Int)
        /// An error, with its phase if it is known.
        case error(NetworkError.Code, phase: NetworkError.Phase?)
    }

    /// The result of the attempt.
    public let outcome: Outcome
    /// The protocol and the peer; `nil` if there was no connection, or the transport does not report it. Transports
    /// determine it if the sink of the call is interested in attempts.
    public let connection: ConnectionInfo?
    /// The time from passing the request to the transport until the result; `nil` if nothing was sent. It does not
    /// include waiting for a credential or for admission, but includes waiting for a connection.
    public let duration: Duration?
    /// The status of the response whose content failed, if there is one.
    package private(set) var receivedStatus: Int?
    /// The span of the attempt, if there is an instrument and the call has a trace.
    package private(set) var span: ExchangeSpan?
    /// The timings until the header fields of a streamed response, if they are observed.
    package private(set) var headTimings: HeadTimings?

    /// Creates the end of an attempt.
    public init(_ outcome: Outcome, connection: ConnectionInfo? = nil, duration: Duration? = nil) {
        self.outcome = outcome
        self.connection = connection
        self.duration = duration
    }

    /// The end of a failed attempt.
    package init(_ error: NetworkError, duration: Duration? = nil) {
        self.init(
            .error(error.code, phase: error.phase), connection: error.connection,
            duration: error.attempts > 0 ? duration : nil)
        receivedStatus = error.receivedStatus
        span = error.span
    }

    /// The end of an attempt with a response.
    package init(_ response: HTTPResponse, duration: Duration? = nil) {
        self.init(
            .response(status: response.status), connection: response.exchange.connection, duration: duration)
        span = response.exchange.span
        headTimings = response.exchange.headTimings
    }
}
