import GatewayCore

/// Stops refreshing where it does not help: fresh tokens that are rejected one after another.
///
/// It counts refreshed tokens with which a replay was answered 401 again. A replay that is answered otherwise
/// ends the count (the circuit is dropped); failures of the network don't touch it.
struct RejectionCircuit {
    /// A token, in the order in which tokens are issued.
    struct Token: Comparable {
        /// The login that it belongs to. Generations are counted anew where a key was forgotten.
        let epoch: UInt64
        let generation: UInt64

        static func < (a: Token, b: Token) -> Bool {
            (a.epoch, a.generation) < (b.epoch, b.generation)
        }
    }

    /// So many fruitless refreshes in a row are no accident.
    static let threshold = 5
    /// The first pause; each further one is twice as long.
    static let pause: Duration = .seconds(30)
    /// The longest pause.
    static let longestPause: Duration = .seconds(900)

    private var fruitless = 0
    /// The newest token that was rejected.
    private(set) var last: Token?
    private var pausedUntil: ContinuousClock.Instant?

    /// How long refreshing still pauses; `nil` when it does not. After the pause refreshing is tried again, and a
    /// single failure is enough for the next pause.
    func pause(at now: ContinuousClock.Instant) -> Duration? {
        guard let pausedUntil, now < pausedUntil else { return nil }
        return now.duration(to: pausedUntil)
    }

    /// Whether refreshing was paused since the count began.
    var hasPaused: Bool { pausedUntil != nil }

    /// Counts a replay with this token that was rejected as well. Many calls may say so of one token.
    ///
    /// - Returns: the length of the pause that begins; `nil` if none does.
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
