import GatewayCore

/// How long an entry waits after an attempt that may have reached the server.
public struct QueueBackoff: Hashable, Sendable {
    /// The maximum wait after the first attempt, doubled after each further one. More than zero; defaults to
    /// 1 s.
    public var base: Duration
    /// The maximum wait, at least ``base``. Defaults to 5 min.
    public var longest: Duration

    /// Creates a backoff.
    public init(base: Duration = .seconds(1), longest: Duration = .seconds(300)) {
        self.base = base
        self.longest = longest
    }

    /// The wait after an attempt: half of it is random, so that clients do not retry simultaneously.
    ///
    /// - Parameters:
    ///   - attempt: the number of the attempt, from 1.
    ///   - minimum: the delay that the server requests, if any.
    func delay(after attempt: Int, atLeast minimum: Duration?, random: any RandomSource) -> Duration {
        let jittered = ExponentialBackoff(base: base, longest: longest)
            .delay(after: attempt, chance: random.unit())
        guard let minimum, minimum > jittered else { return jittered }
        return min(minimum.bounded, QueueItem.longestLife) + base * (random.unit() / 2)
    }
}
