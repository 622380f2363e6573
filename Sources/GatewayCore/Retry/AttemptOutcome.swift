/// What came of an attempt.
public struct AttemptOutcome: Sendable {
    /// The attempt's number, from 1.
    public let attempt: Int
    /// The request's method.
    public let method: HTTPMethod
    /// The status of the response, where there was one.
    public let status: Int?
    /// The error, where there was no response.
    public let error: NetworkError?
    /// What the response's `Retry-After` asks for, clamped to zero and more.
    public let retryAfter: Duration?
    /// Whether the request carries an idempotency key.
    public let hasIdempotencyKey: Bool
    /// Whether the body can be sent again.
    public let isBodyReplayable: Bool

    /// Makes an outcome.
    public init(
        attempt: Int, method: HTTPMethod, status: Int? = nil, error: NetworkError? = nil,
        retryAfter: Duration? = nil, hasIdempotencyKey: Bool = false, isBodyReplayable: Bool = true
    ) {
        self.attempt = attempt
        self.method = method
        self.status = status
        self.error = error
        self.retryAfter = retryAfter
        self.hasIdempotencyKey = hasIdempotencyKey
        self.isBodyReplayable = isBodyReplayable
    }

    /// Whether sending again cannot do a thing twice: the body can be sent again, and the server cannot have
    /// acted on the request, or the method is idempotent (RFC 9110 §9.2.2), or it carries an idempotency key.
    public var isReplaySafe: Bool {
        guard isBodyReplayable else { return false }
        if let error, !error.mayHaveBeenSent { return true }
        return method.isIdempotent || hasIdempotencyKey
    }
}
