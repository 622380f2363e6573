public import GatewayCore

/// How a wait is spread, so that callers who failed together do not come back together. A share that is not a number
/// counts as zero.
public enum Jitter: Hashable, Sendable {
    /// Not at all.
    case none
    /// Uniform between zero and the wait.
    case full
    /// Uniform within a share of the wait to either side: 0.1 is ±10 %.
    case proportional(Double)
    /// The wait and up to a share of it more: 0.3 is +0 to +30 %.
    case additive(Double)

    /// The wait to use; never negative.
    public func spread(_ delay: Duration, random: some RandomSource) -> Duration {
        switch self {
        case .none: max(.zero, delay)
        case .full: delay.scaled(by: random.unit())
        case .proportional(let share): spread(delay, by: share * (2 * random.unit() - 1))
        case .additive(let share): spread(delay, by: share * random.unit())
        }
    }

    private func spread(_ delay: Duration, by share: Double) -> Duration {
        max(.zero, delay.scaled(by: share.isNaN ? 1 : 1 + share))
    }
}
