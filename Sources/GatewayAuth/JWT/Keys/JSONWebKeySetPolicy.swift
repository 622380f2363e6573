import GatewayCore

/// How long an issuer's keys are used, and how often they are fetched.
///
/// Durations are clamped to 0…10,000 years.
public struct JSONWebKeySetPolicy: Sendable {
    /// The lifetime of keys if the response has none. Default: 10 min, so that a revoked key is not used for long.
    public var assumedLifetime: Duration = .seconds(600)
    /// The minimum lifetime. Default: 60 s. Why: without it, an issuer that forbids caching would be asked for every
    /// token.
    public var shortestLifetime: Duration = .seconds(60)
    /// The maximum lifetime, also for a longer `max-age`. Default: 24 h.
    public var longestLifetime: Duration = .seconds(86_400)
    /// The last part of the lifetime in which keys are refreshed in the background, as a fraction from 0 to 1. Default:
    /// 0.2.
    public var renewalFraction = 0.2
    /// How long expired keys are still used if the issuer is unavailable. Default: 1 h.
    public var stalenessLimit: Duration = .seconds(3600)
    /// The minimum interval between requests for unknown key IDs. Default: 30 s. It limits the requests that forged
    /// tokens can cause, and delays the use of a new key.
    public var coolDown: Duration = .seconds(30)
    /// The time limit of a request. Default: 10 s.
    public var timeout: Duration = .seconds(10)
    /// The backoff after the first failure. It is doubled after each further failure. Default: 1 s.
    public var initialBackoff: Duration = .seconds(1)
    /// The maximum backoff. Default: 60 s.
    public var longestBackoff: Duration = .seconds(60)
    /// The maximum `Retry-After` that is respected. Default: 600 s.
    public var longestRetryAfter: Duration = .seconds(600)
    /// The maximum size of a response in bytes. Default: 256 KiB, about a hundred keys.
    public var maximumBytes = 256 << 10

    /// Creates the default policy.
    public init() {}

    /// The wait after a failure.
    ///
    /// - Parameters:
    ///   - failures: the number of consecutive failures, including this one.
    ///   - retryAfter: the `Retry-After` of the response.
    func backoff(failures: Int, retryAfter: Duration?) -> Duration {
        let wait = ExponentialBackoff(base: initialBackoff, longest: longestBackoff).delay(after: failures)
        return max(wait, min(retryAfter ?? .zero, longestRetryAfter)).bounded
    }

    /// The lifetime of a response, from the time of its request.
    func lifetime(_ told: Duration?) -> Duration {
        max(shortestLifetime, min(told ?? assumedLifetime, longestLifetime), .zero).bounded
    }
}
