import GatewayCore

/// When tokens are renewed, and what happens when that fails.
///
/// Any value is safe: durations beyond 10,000 years count as that, negative ones as zero, and fractions beyond 0 to 1 as
/// the nearer of the two.
public struct TokenRefreshPolicy: Sendable {
    /// A token this near its end is no longer put on a request while a newer one can be had: half a minute is what
    /// a slow request and two clocks may be apart.
    public var mandatoryWindow: Duration = .seconds(30)
    /// The mandatory window is never more than this part of the lifetime, so that short-lived tokens are used too.
    public var mandatoryFraction = 0.1
    /// A token this near its end is renewed in the background while it is still used: five minutes leave time for
    /// a token server that is down to come back.
    public var advisoryWindow: Duration = .seconds(300)
    /// The advisory window is never more than this part of the lifetime.
    public var advisoryFraction = 0.2
    /// Up to this part of the advisory window is taken off by chance, so that many clients that began together do
    /// not renew together.
    public var advisoryJitter = 0.5
    /// How long callers wait for one refresh. Then they get the code `tokenUnavailable`, and the next refresh may begin
    /// after a pause; or `tokenOutcomeUnknown` while a single-use request is under way
    /// (``TokenAcquirer/isSingleUse(after:)``), which goes on until ``exchangeTimeout``.
    public var timeout: Duration = .seconds(30)
    /// How long a single-use request to the token server may take, from the beginning of its refresh; never less than
    /// ``timeout``. It is the deadline of its ``TokenRequest``.
    ///
    /// A token server that has spent a refresh token and answers late has sent the only token that works from now on, and
    /// may end the whole grant when the old one is sent again (RFC 9700 §4.14.2). So until this limit the
    /// answer is waited for, stored and used, the store's lock is held, and no other request is made: callers who come
    /// meanwhile get `tokenOutcomeUnknown` at once, with a `retryAfter`. After it the next refresh sends the
    /// same refresh token again, the only one there is. Two minutes outlast the limits of the usual proxies before a
    /// token server.
    public var exchangeTimeout: Duration = .seconds(120)
    /// The pause after a first failure that may pass; doubled with each further one.
    public var initialBackoff: Duration = .milliseconds(500)
    /// The longest such pause.
    public var longestBackoff: Duration = .seconds(60)
    /// The longest wait that a token server may ask for.
    public var longestRetryAfter: Duration = .seconds(600)
    /// How long a caller that needs a token waits, at most, while the token service is unavailable (`tokenUnavailable`) or
    /// the token store fails; zero for no longer than the request that is under way. The caller waits through the pauses
    /// above, within its own deadline, and all that wait share each request. Callers also wait for a single-use request
    /// that takes longer than ``timeout``. A pause that ends too late, such as a long `Retry-After`, is not waited for.
    ///
    /// Five seconds: a token server behind a load balancer restarts or fails over in that time, and a person who waits for
    /// an answer accepts no more. Retries of calls do not wait in its place, since an error of the token layer is not
    /// retried. Refreshes in the background wait for nobody and fail nobody.
    public var outagePatience: Duration = .seconds(5)
    /// How long after a refresh token was sent it may be sent once more, at once, where the answer was lost (code
    /// `tokenOutcomeUnknown`); zero for never. The server may have replaced the token meanwhile, and may take a second
    /// use for theft and end the whole grant (RFC 9700 §4.14.2). Set it to the grace period of a server that has one.
    ///
    /// Without it those who wait get the error. A later refresh sends the token again, after the usual wait: it is the
    /// only one there is, and to give it up would ask for a sign-in after every lost connection. A request that may
    /// still be answered is no lost answer; see ``exchangeTimeout``.
    public var lostAnswerWindow: Duration = .zero
    /// The lifetime of a token whose lifetime is not known: what most servers grant.
    public var assumedLifetime: Duration = .seconds(3600)
    /// The maximum lifetime of a token: one with a longer lifetime is renewed as if it had this one. A day: a token that was
    /// revoked in silence is not used for longer. See ``GatewayCore/TokenEvent/Kind/lifetimeLimited(issued:used:)``.
    public var longestLifetime: Duration = .seconds(86_400)
    /// The maximum number of keys; the one that was used longest ago is dropped first. Each takes about a kilobyte.
    public var maximumKeys = 10_000

    /// The defaults.
    public init() {}

    /// The pause after a failure.
    ///
    /// - Parameters:
    ///   - failures: the number of failures in a row, this one included.
    ///   - retryAfter: the pause that the server requests.
    ///   - chance: from 0 to 1.
    func backoff(failures: Int, retryAfter: Duration?, chance: Double) -> Duration {
        let wait = ExponentialBackoff(base: initialBackoff, longest: longestBackoff)
            .delay(after: failures, chance: chance)
        return max(wait, min(retryAfter ?? .zero, longestRetryAfter).bounded)
    }

    /// How long before its end a token of this lifetime is no longer put on a request.
    func mandatoryMargin(of lifetime: Duration) -> Duration {
        Self.margin(mandatoryWindow, mandatoryFraction, of: lifetime)
    }

    /// How long before its end a token of this lifetime is renewed in the background.
    ///
    /// - Parameter chance: from 0 to 1.
    func advisoryMargin(of lifetime: Duration, chance: Double) -> Duration {
        Self.margin(advisoryWindow, advisoryFraction, of: lifetime)
            .scaled(by: 1 - Self.fraction(advisoryJitter) * chance)
    }

    private static func margin(_ window: Duration, _ fraction: Double, of lifetime: Duration) -> Duration {
        min(max(window, .zero), lifetime.scaled(by: Self.fraction(fraction)))
    }

    private static func fraction(_ value: Double) -> Double { value.isNaN ? 0 : min(max(value, 0), 1) }
}
