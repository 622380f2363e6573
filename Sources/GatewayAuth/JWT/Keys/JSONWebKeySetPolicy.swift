import GatewayCore

/// How long an issuer's keys are used, and how often it is asked for them.
///
/// Any value is safe: durations beyond 10,000 years count as that, negative ones as zero.
public struct JSONWebKeySetPolicy: Sendable {
    /// How long keys are used whose answer names no time: ten minutes, so that a key that was taken back is soon gone.
    public var assumedLifetime: Duration = .seconds(600)
    /// No answer is used for less: an issuer that forbids caching must not be asked for every token.
    public var shortestLifetime: Duration = .seconds(60)
    /// No answer is used for longer, whatever it says.
    public var longestLifetime: Duration = .seconds(86_400)
    /// In this last part of their lifetime keys are renewed in the background, so that nobody waits for them.
    public var renewalFraction = 0.2
    /// How much longer keys are used while no newer ones can be had: an hour of an issuer that is down.
    public var stalenessLimit: Duration = .seconds(3600)
    /// Between two requests because of tokens with an unknown key at least so much time passes. It bounds what
    /// strangers with made-up tokens can cause, and how late a new key is known.
    public var coolDown: Duration = .seconds(30)
    /// How long a request may take.
    public var timeout: Duration = .seconds(10)
    /// How long nobody asks again after a first failure; doubled with each further one.
    public var initialBackoff: Duration = .seconds(1)
    /// The longest such wait.
    public var longestBackoff: Duration = .seconds(60)
    /// The longest wait that an issuer may ask for.
    public var longestRetryAfter: Duration = .seconds(600)
    /// The largest answer that is read, in bytes: some hundred keys.
    public var maximumBytes = 256 << 10

    /// The defaults.
    public init() {}

    /// The wait after a failure.
    ///
    /// - Parameters:
    ///   - failures: how many have followed one another, this one included.
    ///   - retryAfter: what the server asked for.
    func backoff(failures: Int, retryAfter: Duration?) -> Duration {
        let wait = ExponentialBackoff(base: initialBackoff, longest: longestBackoff).delay(after: failures)
        return max(wait, min(retryAfter ?? .zero, longestRetryAfter)).bounded
    }

    /// How long an answer is used from when it was asked for.
    func lifetime(_ told: Duration?) -> Duration {
        max(shortestLifetime, min(told ?? assumedLifetime, longestLifetime), .zero).bounded
    }
}
