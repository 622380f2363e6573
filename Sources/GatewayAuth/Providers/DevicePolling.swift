import GatewayCore

/// When a device polls for the user's approval (RFC 8628 §3.5). Pure state.
struct DevicePolling {
    /// The default interval, if the server names none (§3.2).
    static let defaultInterval: Duration = .seconds(5)
    /// Each `slow_down` increases the interval permanently by this (§3.5).
    static let slowDown: Duration = .seconds(5)
    /// No server keeps a device waiting longer between two questions, nor a client longer away from a server that is
    /// down.
    static let longestInterval: Duration = .seconds(300)

    /// What to do next.
    enum Step: Equatable {
        /// Ask at this instant.
        case ask(at: ContinuousClock.Instant)
        /// The codes have ended.
        case expired
    }

    /// When the codes end.
    let end: ContinuousClock.Instant
    private(set) var interval: Duration

    /// - Parameters:
    ///   - lifetime: `expires_in`, from `now` on.
    ///   - interval: what the server told, if it did.
    init(lifetime: Duration, interval: Duration?, now: ContinuousClock.Instant) {
        end = now.adding(lifetime)
        self.interval = min(max(interval ?? Self.defaultInterval, .seconds(1)), Self.longestInterval)
    }

    /// What to do after an answer, or before the first question.
    ///
    /// - Parameters:
    ///   - code: the error of the answer; `nil` before the first.
    ///   - retryAfter: how long the server wants to be left alone.
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
        // At its end a code is worth nothing: the last question would be for nothing.
        return instant < end ? .ask(at: instant) : .expired
    }
}
