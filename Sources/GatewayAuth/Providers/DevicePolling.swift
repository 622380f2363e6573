import GatewayCore

/// When a device polls for the user's approval (RFC 8628 §3.5). Pure state.
struct DevicePolling {
    /// The default interval, if the server returns none (§3.2).
    static let defaultInterval: Duration = .seconds(5)
    /// Each `slow_down` increases the interval permanently by this (§3.5).
    static let slowDown: Duration = .seconds(5)
    /// The maximum interval, whether the server requests it or errors double it.
    static let longestInterval: Duration = .seconds(300)

    /// The next step.
    enum Step: Equatable {
        /// Poll at this instant.
        case ask(at: ContinuousClock.Instant)
        /// The codes have expired.
        case expired
    }

    /// When the codes expire.
    let end: ContinuousClock.Instant
    private(set) var interval: Duration

    /// - Parameters:
    ///   - lifetime: `expires_in`, from `now`.
    ///   - interval: the interval that the server returned, if any.
    init(lifetime: Duration, interval: Duration?, now: ContinuousClock.Instant) {
        end = now.adding(lifetime)
        self.interval = min(max(interval ?? Self.defaultInterval, .seconds(1)), Self.longestInterval)
    }

    /// Returns the step after a response, or before the first request.
    ///
    /// - Parameters:
    ///   - code: the error of the response; `nil` before the first request.
    ///   - retryAfter: the delay that the server requests.
    mutating func next(
        after code: String?, retryAfter: Duration? = nil, now: ContinuousClock.Instant
    ) -> Step {
        switch code {
        case nil, "authorization_pending": break
        case "slow_down": interval = min(interval + Self.slowDown, Self.longestInterval)
        // No response: the interval is doubled (§3.5).
        default: interval = min(interval * 2, Self.longestInterval)
        }
        let instant = now.adding(max(interval, retryAfter ?? .zero))
        // A code must not be polled at its expiration or later.
        return instant < end ? .ask(at: instant) : .expired
    }
}
