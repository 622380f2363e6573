/// Stops refreshing where it does not help: fresh tokens that are rejected one after another.
///
/// It counts refreshed generations with which a replay was answered 401 again. A replay that is answered otherwise
/// ends the count (the circuit is dropped); failures of the network don't touch it.
struct RejectionCircuit {
    /// So many fruitless refreshes in a row are no accident.
    static let threshold = 5
    /// The first pause; each further one is twice as long.
    static let pause: Duration = .seconds(30)
    /// The longest pause.
    static let longestPause: Duration = .seconds(900)

    private var fruitless = 0
    private var lastGeneration: UInt64 = 0
    private var pausedUntil: ContinuousClock.Instant?

    /// How long refreshing still pauses; `nil` when it does not. After the pause refreshing is tried again, and a
    /// single failure is enough for the next pause.
    func pause(at now: ContinuousClock.Instant) -> Duration? {
        guard let pausedUntil, now < pausedUntil else { return nil }
        return now.duration(to: pausedUntil)
    }

    /// Whether refreshing was paused since the count began.
    var hasPaused: Bool { pausedUntil != nil }

    /// A replay with this generation was rejected as well. Many calls may say so of one generation.
    ///
    /// - Returns: the length of the pause that begins; `nil` if none does.
    mutating func wasFruitless(_ generation: UInt64, now: ContinuousClock.Instant) -> Duration? {
        guard generation > lastGeneration else { return nil }
        lastGeneration = generation
        fruitless += 1
        guard fruitless >= Self.threshold else { return nil }
        let doublings = min(fruitless - Self.threshold, 10)
        let pause = min(Self.pause * (1 << doublings), Self.longestPause)
        pausedUntil = now + pause
        return pause
    }
}
