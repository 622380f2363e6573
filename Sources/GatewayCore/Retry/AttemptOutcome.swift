/// The outcome of an attempt, as input for a ``RetryPolicy``.
public struct AttemptOutcome: Sendable {
    /// The number of the attempt within its call or redirect hop, from 1.
    public let attempt: Int
    /// The method of the request.
    public let method: HTTPMethod
    /// The origin of the request; `nil` for work that is not a request.
    public let origin: Origin?
    /// The operation of the call, if it is known.
    public let operation: Operation?
    /// The status of the response, if there was one.
    public let status: Int?
    /// The error, if there was no response.
    public let error: NetworkError?
    /// The delay in the response's `Retry-After`, zero or more.
    public let retryAfter: Duration?
    /// The remaining time until the deadline of the call; `nil` without a deadline.
    public let remaining: Duration?
    /// Whether the request has an idempotency key.
    public let hasIdempotencyKey: Bool
    /// Whether the body can be sent again.
    public let isBodyReplayable: Bool

    /// Creates an outcome.
    public init(
        attempt: Int, method: HTTPMethod, origin: Origin? = nil, operation: Operation? = nil,
        status: Int? = nil, error: NetworkError? = nil, retryAfter: Duration? = nil,
        remaining: Duration? = nil, hasIdempotencyKey: Bool = false, isBodyReplayable: Bool = true
    ) {
        self.attempt = attempt
        self.method = method
        self.origin = origin
        self.operation = operation
        self.status = status
        self.error = error
        self.retryAfter = retryAfter
        self.remaining = remaining
        self.hasIdempotencyKey = hasIdempotencyKey
        self.isBodyReplayable = isBodyReplayable
    }

    /// Whether sending the request again cannot have additional effects on the server. The body must be replayable, and
    /// either the server cannot have received the request, or the method is idempotent (RFC 9110 §9.2.2), or the
    /// request has an idempotency key.
    public var isReplaySafe: Bool {
        guard isBodyReplayable else { return false }
        if let error, !error.mayHaveBeenSent { return true }
        return method.isIdempotent || hasIdempotencyKey
    }
}
