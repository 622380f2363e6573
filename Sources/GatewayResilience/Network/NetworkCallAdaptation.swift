import GatewayCore

/// Applies a ``NetworkAdaptation`` to the calls of an engine.
final class NetworkCallAdaptation: Sendable {
    /// The maximum number of origins whose quality is reported.
    private static let capacity = 256

    private let adaptation: NetworkAdaptation
    private let network: any NetworkConditionSource
    private let policy: any RetryPolicy
    private let limits: AttemptLimits?
    private let reported = Locked<[Origin: NetworkCondition.Quality]>([:])

    /// - Parameters:
    ///   - policy: the retry policy of the engine.
    ///   - limits: all limits of each attempt; `nil` if they are unknown, and not changed.
    init(
        _ adaptation: NetworkAdaptation, network: any NetworkConditionSource, policy: any RetryPolicy,
        limits: AttemptLimits?
    ) {
        self.adaptation = adaptation
        self.network = network
        self.policy = policy
        self.limits = limits
    }

    /// The current quality of the path to an origin. Read once per call.
    func quality(of origin: Origin) -> NetworkCondition.Quality { network.condition(for: origin).quality }

    /// The time limits of each attempt of a call that sets none; `nil` for those of the transport.
    func limits(for quality: NetworkCondition.Quality) -> AttemptLimits? {
        limits.map { adaptation.limits($0, for: quality) }
    }

    /// The deadline of a call that has none.
    ///
    /// - Parameter deadline: the deadline without adaptation.
    func deadline(_ deadline: Duration?, for quality: NetworkCondition.Quality) -> Duration? {
        deadline == nil ? nil : adaptation.deadline(for: quality)
    }

    /// The retry policy of a call that has none.
    func retry(for quality: NetworkCondition.Quality) -> any RetryPolicy {
        LimitedRetries(owner: self, policy: policy, retries: adaptation.retries(for: quality))
    }

    /// Records the beginning of a call to an origin.
    func begin(_ context: borrowing RequestContext, to origin: Origin, _ quality: NetworkCondition.Quality) {
        let isNew = reported.withLock { reported in
            guard reported[origin] != quality, reported[origin] != nil || reported.count < Self.capacity
            else { return false }
            reported[origin] = quality
            return true
        }
        if isNew { context.record(.networkAdaptationChanged(quality), at: origin) }
    }
}

/// The engine's policy with a maximum number of retries. Equal for calls of the same engine with the same
/// number, so that they can be coalesced.
private struct LimitedRetries: RetryPolicy, Equatable {
    let owner: NetworkCallAdaptation
    let policy: any RetryPolicy
    let retries: Int

    var repeatsUnsafeRequests: Bool { policy.repeatsUnsafeRequests }

    func decision(after outcome: AttemptOutcome, random: any RandomSource) -> RetryDecision {
        outcome.attempt <= retries ? policy.decision(after: outcome, random: random) : .stop
    }

    static func == (a: Self, b: Self) -> Bool { a.owner === b.owner && a.retries == b.retries }
}
