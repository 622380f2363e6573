import GatewayCore

/// Stops refreshing where it does not help: fresh tokens that are rejected one after another.
///
/// It counts refreshed tokens for which the replay was rejected with 401 again. A replay with another response ends the
/// count (the circuit is dropped). Network errors do not change it.
struct RejectionCircuit {
    /// A token, ordered by time of issue.
    struct Token: Comparable {
        /// The login that the token belongs to. Why: generations restart when a key was forgotten.
        let epoch: UInt64
        let generation: UInt64

        static func < (a: Token, b: Token) -> Bool {
            (a.epoch, a.generation) < (b.epoch, b.generation)
        }
    }

    /// The number of consecutive rejected tokens that causes a suspension.
    static let threshold = 5
    /// The first suspension. Each further one is twice as long.
    static let pause: Duration = .seconds(30)
    /// The maximum length of a suspension.
    static let longestPause: Duration = .seconds(900)

    private var fruitless = 0
    /// The newest rejected token.
    private(set) var last: Token?
    private var pausedUntil: ContinuousClock.Instant?

    /// The remaining suspension; `nil` if there is none. After a suspension, a single rejection starts the next one.
    func pause(at now: ContinuousClock.Instant) -> Duration? {
        guard let pausedUntil, now < pausedUntil else { return nil }
        return now.duration(to: pausedUntil)
    }

    /// Whether refreshing was suspended since the count started.
    var hasPaused: Bool { pausedUntil != nil }

    /// Counts a replay that was rejected with this token. Each token is counted once.
    ///
    /// - Returns: the length of the suspension that starts; `nil` if none starts.
    mutating func recordRejection(of token: Token, now: ContinuousClock.Instant) -> Duration? {
        if let last, token <= last { return nil }
        last = token
        fruitless += 1
        guard fruitless >= Self.threshold else { return nil }
        let pause = ExponentialBackoff(base: Self.pause, longest: Self.longestPause)
            .delay(after: fruitless - Self.threshold + 1)
        pausedUntil = now + pause
        return pause
    }
}
