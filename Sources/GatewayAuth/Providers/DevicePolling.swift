import GatewayCore

/// When a device asks whether somebody has let it in (RFC 8628 §3.5): pure state.
struct DevicePolling {
    /// Where nobody tells an interval (§3.2).
    static let defaultInterval: Duration = .seconds(5)
    /// What each `slow_down` adds, for good (§3.5).
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
        // Nobody answered: less often (§3.5).
        default: interval = min(interval * 2, Self.longestInterval)
        }
        let instant = now.adding(max(interval, retryAfter ?? .zero))
        // At its end a code is worth nothing: the last question would be for nothing.
        return instant < end ? .ask(at: instant) : .expired
    }
}
