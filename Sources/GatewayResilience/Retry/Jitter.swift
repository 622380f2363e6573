public import GatewayCore

/// The random variation of a delay, so that calls that failed together are not retried together. A share of
/// NaN is treated as zero.
public enum Jitter: Hashable, Sendable {
    /// No variation.
    case none
    /// Uniform between zero and the delay.
    case full
    /// Uniform within a share of the delay in both directions: 0.1 is ±10 %.
    case proportional(Double)
    /// Uniform between the delay and a share more: 0.3 is +0 to +30 %.
    case additive(Double)

    /// Whether the share is valid.
    var isValid: Bool {
        switch self {
        case .none, .full: true
        case .proportional(let share): share >= 0 && share <= 1
        case .additive(let share): share >= 0 && share.isFinite
        }
    }

    static let rule = "the share must be from 0 to 1, or 0 or more if it is added"

    /// The delay with jitter applied; never negative.
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
