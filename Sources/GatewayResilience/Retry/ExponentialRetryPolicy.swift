public import GatewayCore

/// A retry policy with a maximum number of attempts, a backoff with jitter, and a set of retryable statuses.
///
/// `Retry-After` is respected: the delay is the maximum of it and the backoff.
public struct ExponentialRetryPolicy: RetryPolicy, Hashable {
    /// The requests that may be sent again after the server may have received them.
    public enum Repeats: Hashable, Sendable {
        /// `GET` and `HEAD`, and requests with an idempotency key.
        case readsOnly
        /// Idempotent methods (RFC 9110 §9.2.2), and requests with an idempotency key.
        case idempotent
        /// Every request. The server may process a request twice.
        case everything
    }

    /// The maximum number of attempts, including the first; 1 disables retries.
    public var maximumAttempts: Int
    /// The delay before jitter is applied.
    public var backoff: Backoff
    /// The delay after a 429, before jitter is applied.
    public var throttledBackoff: Backoff
    /// The jitter of the delay.
    public var jitter: Jitter
    /// The statuses that are retried.
    public var retryableStatuses: Set<Int>
    /// The codes of errors that are retried; `nil` for all transient errors except local rejections
    /// (``GatewayCore/NetworkError/Code/isLocalRejection``), because the same local decision would reject
    /// the retry too. Errors of credentials and the deadline of the call are never retried.
    public var retryableErrors: Set<NetworkError.Code>?
    /// The requests that may be sent again.
    public var repeats: Repeats

    /// Makes a policy. The defaults are those of ``RetryPolicy/standard``.
    ///
    /// - Parameters:
    ///   - maximumAttempts: the number of attempts, including the first; 1 or more.
    ///   - backoff: defaults to 50 ms, doubled up to 20 s.
    ///   - throttledBackoff: the backoff after a 429, defaults to 1 s, doubled up to 20 s; `nil` uses `backoff`.
    ///   - jitter: defaults to full jitter, which spreads the retries of many callers best.
    ///   - retryableStatuses: the statuses that are retried. A 401 is never retried.
    ///   - retryableErrors: the codes of errors that are retried; defaults to all transient errors except
    ///     local rejections.
    ///   - repeats: defaults to idempotent requests.
    public init(
        maximumAttempts: Int = 3,
        backoff: Backoff = .exponential(base: .milliseconds(50), cap: .seconds(20)),
        throttledBackoff: Backoff? = .exponential(base: .seconds(1), cap: .seconds(20)),
        jitter: Jitter = .full, retryableStatuses: Set<Int> = RetryableStatuses.default,
        retryableErrors: Set<NetworkError.Code>? = nil, repeats: Repeats = .idempotent
    ) {
        self.maximumAttempts = maximumAttempts
        self.backoff = backoff
        self.throttledBackoff = throttledBackoff ?? backoff
        self.jitter = jitter
        self.retryableStatuses = retryableStatuses
        self.retryableErrors = retryableErrors
        self.repeats = repeats
    }

    /// Makes a policy by the number of retries, with full jitter.
    ///
    /// - Parameters:
    ///   - maxRetries: the number of attempts after the first, 0 or more.
    ///   - baseDelay: the delay before the first retry, doubled for each further one. After a 429 it is at least 1 s.
    ///   - maxDelay: the maximum delay.
    public init(maxRetries: Int, baseDelay: Duration, maxDelay: Duration = .seconds(30)) {
        self.init(
            maximumAttempts: maxRetries.addingClamped(1),
            backoff: .exponential(base: baseDelay, cap: maxDelay),
            throttledBackoff: .exponential(base: max(baseDelay, .seconds(1)), cap: max(maxDelay, .seconds(1)))
        )
    }

    /// Whether ``repeats`` is ``Repeats/everything``.
    public var repeatsUnsafeRequests: Bool { repeats == .everything }

    /// Checks the values.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `misconfigured`; the message names the property.
    public func validate() throws(NetworkError) {
        try NetworkError.require(maximumAttempts >= 1, "maximumAttempts", "must be 1 or more")
        try NetworkError.require(backoff.isValid, "backoff", Backoff.rule)
        try NetworkError.require(throttledBackoff.isValid, "throttledBackoff", Backoff.rule)
        try NetworkError.require(jitter.isValid, "jitter", Jitter.rule)
        try NetworkError.require(
            retryableStatuses.allSatisfy { (400...599).contains($0) && $0 != 401 }, "retryableStatuses",
            "must be from 400 to 599, without 401")
    }

    /// Returns whether and when to make the next attempt.
    public func decision(after outcome: AttemptOutcome, random: any RandomSource) -> RetryDecision {
        guard outcome.attempt < maximumAttempts, isRetryable(outcome), allows(outcome) else { return .stop }
        let backoff = outcome.status == 429 ? throttledBackoff : backoff
        let delay = jitter.spread(backoff.delay(after: outcome.attempt), random: random)
        return .retry(after: max(delay, outcome.retryAfter ?? .zero))
    }

    private func isRetryable(_ outcome: AttemptOutcome) -> Bool {
        if let error = outcome.error {
            return error.limit != .call
                && (retryableErrors.map { $0.contains(error.code) }
                    ?? (error.isRetryable && !error.code.isLocalRejection))
        }
        return outcome.status.map(retryableStatuses.contains) ?? false
    }

    private func allows(_ outcome: AttemptOutcome) -> Bool {
        if let error = outcome.error, !error.mayHaveBeenSent { return true }
        return switch repeats {
        case .readsOnly: outcome.method == .get || outcome.method == .head || outcome.hasIdempotencyKey
        case .idempotent: outcome.isReplaySafe
        case .everything: true
        }
    }
}
