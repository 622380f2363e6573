import GatewayCore

/// When tokens are refreshed, and how failures are handled.
///
/// Durations of more than 10,000 years count as 10,000 years. With an impossible value, such as a negative duration,
/// each request for a token fails with the error of ``validate()``, and nothing is sent.
public struct TokenRefreshPolicy: Sendable {
    /// How long before its expiry a token is no longer used if a newer one can be obtained. Default: 30 s, for slow
    /// requests and clock differences.
    public var mandatoryWindow: Duration = .seconds(30)
    /// The maximum mandatory window as a fraction of the lifetime, so that short-lived tokens are used, too. From 0 to
    /// less than 1. Default: 0.1.
    public var mandatoryFraction = 0.1
    /// How long before its expiry a token is refreshed in the background while it is still used. Default: 5 min, so
    /// that a token server can recover from an outage.
    public var advisoryWindow: Duration = .seconds(300)
    /// The maximum advisory window as a fraction of the lifetime, from 0 to 1. Default: 0.2.
    public var advisoryFraction = 0.2
    /// The maximum random reduction of the advisory window, as a fraction from 0 to 1. Default: 0.5. It prevents
    /// simultaneous refreshes of clients that started together.
    public var advisoryJitter = 0.5
    /// How long callers wait for one refresh, more than zero. Default: 30 s. After that they get the code `tokenUnavailable`, and the
    /// next refresh may start after a backoff. While a single-use request (``TokenAcquirer/isSingleUse(after:)``) is in
    /// progress they get `tokenOutcomeUnknown`, and the request continues until ``exchangeTimeout``.
    public var timeout: Duration = .seconds(30)
    /// The time limit of a single-use token request, from the start of its refresh, at least ``timeout``. Default: 120
    /// s, longer than the timeouts of common proxies. It is the deadline of its ``TokenRequest``.
    ///
    /// A late response may contain the only token that is still valid, because the server has invalidated the refresh
    /// token. The server may also revoke the whole grant if the old refresh token is sent again (RFC 9700 §4.14.2). So
    /// until this limit the response is awaited, stored and used, the lock of the store is held, and no other request
    /// is made; new callers get `tokenOutcomeUnknown` immediately, with a `retryAfter`. After the limit the next
    /// refresh sends the same refresh token again, because there is no other.
    public var exchangeTimeout: Duration = .seconds(120)
    /// The backoff after the first transient failure, 1 ms or longer. It is doubled after each further failure. Default:
    /// 500 ms.
    public var initialBackoff: Duration = .milliseconds(500)
    /// The maximum backoff, 1 ms or longer. Default: 60 s.
    public var longestBackoff: Duration = .seconds(60)
    /// The maximum `Retry-After` of a token server that is respected. Default: 600 s.
    public var longestRetryAfter: Duration = .seconds(600)
    /// The maximum time that a caller waits for a token while the token service is unavailable (`tokenUnavailable`) or
    /// the token store fails. Default: 5 s. With zero, callers wait only for the request in progress. A caller waits
    /// through the backoffs above, within its own deadline, and all waiting callers share each request. Callers also
    /// wait for a single-use request that takes longer than ``timeout``. If the next request would start too late, for
    /// example after a long `Retry-After`, the error is thrown immediately.
    ///
    /// Why 5 s: a token server behind a load balancer restarts or fails over in that time, and interactive users do not
    /// wait longer. Retries of calls do not replace this wait, because token errors are not retried. Background
    /// refreshes are not affected.
    public var outagePatience: Duration = .seconds(5)
    /// How long after a refresh token was sent it may be sent once more, immediately, if the response was lost (code
    /// `tokenOutcomeUnknown`). Default: zero, never. The server may have replaced the token, and may treat a second use
    /// as theft and revoke the whole grant (RFC 9700 §4.14.2). Set it to the grace period of a server that has one.
    ///
    /// With zero, the waiting callers get the error. A later refresh sends the token again after the usual backoff,
    /// because there is no other token, and a sign-in after every lost connection is not acceptable. A request that is
    /// still in progress is not a lost response; see ``exchangeTimeout``.
    public var lostAnswerWindow: Duration = .zero
    /// The lifetime of a token without a known lifetime, more than zero. Default: 1 h, which is common.
    public var assumedLifetime: Duration = .seconds(3600)
    /// The maximum lifetime of a token, more than zero. A token with a longer lifetime is refreshed as if it had this one. Default: 24
    /// h, so that a token that was revoked without notice is not used for longer. See
    /// ``GatewayCore/TokenEvent/Kind/lifetimeLimited(issued:used:)``.
    public var longestLifetime: Duration = .seconds(86_400)
    /// The maximum number of keys, 1 or more; the least recently used one is removed first. A key needs about 1 KB.
    /// Default: 10,000.
    public var maximumKeys = 10_000

    /// Creates the default policy.
    public init() {}

    /// The backoff after a failure.
    ///
    /// - Parameters:
    ///   - failures: the number of consecutive failures, including this one.
    ///   - retryAfter: the delay that the server requests.
    ///   - chance: a random number from 0 to 1.
    func backoff(failures: Int, retryAfter: Duration?, chance: Double) -> Duration {
        let wait = ExponentialBackoff(base: initialBackoff, longest: longestBackoff)
            .delay(after: failures, chance: chance)
        return max(wait, min(retryAfter ?? .zero, longestRetryAfter).bounded)
    }

    /// How long before its expiry a token with this lifetime is no longer used if a newer one can be obtained.
    func mandatoryMargin(of lifetime: Duration) -> Duration {
        Self.margin(mandatoryWindow, mandatoryFraction, of: lifetime)
    }

    /// How long before its expiry a token with this lifetime is refreshed in the background.
    ///
    /// - Parameter chance: a random number from 0 to 1.
    func advisoryMargin(of lifetime: Duration, chance: Double) -> Duration {
        Self.margin(advisoryWindow, advisoryFraction, of: lifetime)
            .scaled(by: 1 - Self.fraction(advisoryJitter) * chance)
    }

    private static func margin(_ window: Duration, _ fraction: Double, of lifetime: Duration) -> Duration {
        min(max(window, .zero), lifetime.scaled(by: Self.fraction(fraction)))
    }

    private static func fraction(_ value: Double) -> Double { value.isNaN ? 0 : min(max(value, 0), 1) }
}
