internal import GatewayCore
internal import GatewayResilience

/// Applies a ``NetworkAdaptation`` to the calls of an engine.
final class NetworkCallAdaptation: CallAdaptation {
    /// The qualities of origins beyond this number are not reported.
    private static let capacity = 256

    private let adaptation: NetworkAdaptation
    private let network: any NetworkConditionSource
    private let policy: any RetryPolicy
    private let limits: AttemptLimits
    private let reported = Locked<[Origin: NetworkCondition.Quality]>([:])

    /// - Parameters:
    ///   - policy: the retry policy of the engine.
    ///   - limits: the limits of each attempt, all of them.
    init(
        _ adaptation: NetworkAdaptation, network: any NetworkConditionSource, policy: any RetryPolicy,
        limits: AttemptLimits
    ) {
        self.adaptation = adaptation
        self.network = network
        self.policy = policy
        self.limits = limits
    }

    func quality(of origin: Origin) -> NetworkCondition.Quality { network.condition(for: origin).quality }

    func limits(for quality: NetworkCondition.Quality) -> AttemptLimits? {
        adaptation.limits(limits, for: quality)
    }

    func deadline(_ deadline: Duration?, for quality: NetworkCondition.Quality) -> Duration? {
        deadline == nil ? nil : adaptation.deadline(for: quality)
    }

    func retry(for quality: NetworkCondition.Quality) -> (any RetryPolicy)? {
        LimitedRetries(owner: self, policy: policy, retries: adaptation.retries(for: quality))
    }

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

/// The engine's policy with a largest number of retries. Equal for calls of the same engine with the same number, so that
/// they share responses.
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
