public import GatewayCore

/// The retry policy for nearly everyone: so many attempts, a backoff with jitter, and which statuses count.
///
/// `Retry-After` is obeyed: the wait is the longer of it and the backoff.
public struct ExponentialRetryPolicy: RetryPolicy, Hashable {
    /// Which requests may be sent again after the server may have seen them.
    public enum Repeats: Hashable, Sendable {
        /// `GET` and `HEAD`, and whatever carries an idempotency key.
        case readsOnly
        /// Every idempotent method (RFC 9110 §9.2.2), and whatever carries an idempotency key.
        case idempotent
        /// Every request. The server may do a thing twice.
        case everything
    }

    /// The most attempts, the first included; 1 never sends again.
    public var maximumAttempts: Int
    /// The wait before jitter.
    public var backoff: Backoff
    /// The wait before jitter after a 429, which asks for patience.
    public var throttledBackoff: Backoff
    /// How the wait is spread.
    public var jitter: Jitter
    /// The statuses after which another attempt may succeed.
    public var statuses: Set<Int>
    /// Which requests may be sent again.
    public var repeats: Repeats

    /// Makes a policy. The defaults are those of ``RetryPolicy/standard``.
    ///
    /// - Parameters:
    ///   - maximumAttempts: the first included; below 1 counts as 1.
    ///   - backoff: three quick attempts pass most blips without piling up.
    ///   - throttledBackoff: a second at least, since whoever says 429 means it; `nil` for the same backoff.
    ///   - jitter: full, which spreads a crowd best.
    ///   - statuses: 401 is never retried, whatever stands here.
    ///   - repeats: what RFC 9110 calls idempotent.
    public init(
        maximumAttempts: Int = 3,
        backoff: Backoff = .exponential(base: .milliseconds(50), cap: .seconds(20)),
        throttledBackoff: Backoff? = .exponential(base: .seconds(1), cap: .seconds(20)),
        jitter: Jitter = .full, statuses: Set<Int> = RetryableStatuses.default,
        repeats: Repeats = .idempotent
    ) {
        self.maximumAttempts = max(1, maximumAttempts)
        self.backoff = backoff
        self.throttledBackoff = throttledBackoff ?? backoff
        self.jitter = jitter
        self.statuses = statuses
        self.repeats = repeats
    }

    /// Whether ``repeats`` is ``Repeats/everything``.
    public var repeatsUnsafeRequests: Bool { repeats == .everything }

    /// Decides after an attempt.
    public func decision(after outcome: AttemptOutcome, random: any RandomSource) -> RetryDecision {
        guard outcome.attempt < maximumAttempts, isRetryable(outcome), allows(outcome) else { return .stop }
        let backoff = outcome.status == 429 ? throttledBackoff : backoff
        let delay = jitter.spread(backoff.delay(after: outcome.attempt), random: random)
        return .retry(after: max(delay, outcome.retryAfter ?? .zero))
    }

    private func isRetryable(_ outcome: AttemptOutcome) -> Bool {
        if let error = outcome.error { return error.isRetryable && error.phase != .call }
        return outcome.status.map(statuses.contains) ?? false
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
