public import GatewayCore

extension RetryPolicy where Self == ExponentialRetryPolicy {
    /// 3 attempts, 50 ms doubling to 20 s (1 s after a 429), full jitter. The default.
    public static var standard: Self { ExponentialRetryPolicy() }

    /// One attempt, without retries.
    public static var never: Self { ExponentialRetryPolicy(maximumAttempts: 1) }

    /// ``standard`` with another number of attempts, including the first.
    public static func attempts(_ count: Int) -> Self { ExponentialRetryPolicy(maximumAttempts: count) }

    /// Retries without delay.
    ///
    /// - Parameter attempts: the number of attempts, including the first.
    public static func immediate(attempts: Int) -> Self {
        ExponentialRetryPolicy(
            maximumAttempts: attempts, backoff: .immediate, throttledBackoff: nil, jitter: .none)
    }

    /// Retries with a fixed delay.
    ///
    /// - Parameter attempts: the number of attempts, including the first.
    public static func fixed(attempts: Int, delay: Duration) -> Self {
        ExponentialRetryPolicy(
            maximumAttempts: attempts, backoff: .fixed(delay), throttledBackoff: nil, jitter: .none)
    }

    /// Retries with a delay that grows by the same amount each time.
    ///
    /// - Parameters:
    ///   - attempts: the number of attempts, including the first.
    ///   - delay: the delay before the first retry, and the amount.
    ///   - maxDelay: the maximum delay.
    public static func linear(attempts: Int, delay: Duration, maxDelay: Duration = .seconds(30)) -> Self {
        ExponentialRetryPolicy(
            maximumAttempts: attempts, backoff: .linear(base: delay, cap: maxDelay), throttledBackoff: nil,
            jitter: .none)
    }

    /// Retries with a delay that doubles each time.
    ///
    /// - Parameters:
    ///   - attempts: the number of attempts, including the first.
    ///   - delay: the delay before the first retry.
    ///   - maxDelay: the maximum delay.
    ///   - jitter: the random variation; `.none` for exact delays.
    public static func exponential(
        attempts: Int, delay: Duration, maxDelay: Duration = .seconds(30), jitter: Jitter = .full
    ) -> Self {
        ExponentialRetryPolicy(
            maximumAttempts: attempts, backoff: .exponential(base: delay, cap: maxDelay),
            throttledBackoff: nil, jitter: jitter)
    }

    /// 5 attempts, 1 s doubling to 32 s, ±10 %: for interactive programs that tolerate delays.
    public static var patient: Self {
        ExponentialRetryPolicy(
            maximumAttempts: 5, backoff: .exponential(base: .seconds(1), cap: .seconds(32)),
            throttledBackoff: nil, jitter: .proportional(0.1))
    }

    /// 10 attempts, 0.5 s doubling to 16 s, ±10 %: for background work.
    public static var aggressive: Self {
        ExponentialRetryPolicy(
            maximumAttempts: 10, backoff: .exponential(base: .milliseconds(500), cap: .seconds(16)),
            throttledBackoff: nil, jitter: .proportional(0.1))
    }

    /// 3 attempts, 1 s doubling to 30 s, +0 to +30 %.
    public static var moderate: Self {
        ExponentialRetryPolicy(
            maximumAttempts: 3, backoff: .exponential(base: .seconds(1), cap: .seconds(30)),
            throttledBackoff: nil, jitter: .additive(0.3))
    }

    /// 4 attempts, 250 ms doubling to 10 s, full jitter: between servers.
    public static var server: Self {
        ExponentialRetryPolicy(
            maximumAttempts: 4, backoff: .exponential(base: .milliseconds(250), cap: .seconds(10)),
            throttledBackoff: nil, jitter: .full)
    }

    /// ``standard``, but only for `GET`, `HEAD` and requests with an idempotency key.
    public static var readsOnly: Self { ExponentialRetryPolicy(repeats: .readsOnly) }
}
