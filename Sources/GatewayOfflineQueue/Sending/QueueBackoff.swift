import GatewayCore

/// How long an entry waits after an attempt that may have reached the server.
public struct QueueBackoff: Hashable, Sendable {
    /// The longest wait after the first attempt; it doubles with each further one. More than zero; 1 s by default.
    public var base: Duration
    /// The longest wait. `base` or more; 5 min by default.
    public var longest: Duration

    /// Creates a backoff.
    public init(base: Duration = .seconds(1), longest: Duration = .seconds(300)) {
        self.base = base
        self.longest = longest
    }

    /// The wait after an attempt: half of it is random, so that clients do not come back together.
    ///
    /// - Parameters:
    ///   - attempt: the number of the attempt, from 1.
    ///   - minimum: what the server asked for, if it did.
    func delay(after attempt: Int, atLeast minimum: Duration?, random: any RandomSource) -> Duration {
        let jittered = ExponentialBackoff(base: base, longest: longest)
            .delay(after: attempt, chance: random.unit())
        guard let minimum, minimum > jittered else { return jittered }
        return min(minimum.bounded, QueueItem.longestLife) + base * (random.unit() / 2)
    }
}
