public import GatewayCore

/// How a wait is spread, so that callers who failed together do not come back together.
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
        case .none: delay
        case .full: delay * random.unit()
        case .proportional(let share): max(.zero, delay * (1 + share * (2 * random.unit() - 1)))
        case .additive(let share): max(.zero, delay * (1 + share * random.unit()))
        }
    }
}
