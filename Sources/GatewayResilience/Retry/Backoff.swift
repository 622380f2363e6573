internal import GatewayCore

/// The delay before the next attempt, before jitter is applied.
public enum Backoff: Hashable, Sendable {
    /// No delay.
    case immediate
    /// The same delay each time.
    case fixed(Duration)
    /// The base times the number of the failed attempt, up to a cap.
    case linear(base: Duration, cap: Duration)
    /// The base, doubled each time, up to a cap.
    case exponential(base: Duration, cap: Duration)

    /// Whether all durations are zero or more.
    var isValid: Bool {
        switch self {
        case .immediate: true
        case .fixed(let delay): delay >= .zero
        case .linear(let base, let cap), .exponential(let base, let cap): base >= .zero && cap >= .zero
        }
    }

    static let rule = "delays must be zero or more"

    /// The delay after an attempt.
    ///
    /// - Parameter attempt: the number of the failed attempt, from 1; values are clamped.
    public func delay(after attempt: Int) -> Duration {
        switch self {
        case .immediate: return .zero
        case .fixed(let delay): return max(.zero, delay)
        case .linear(let base, let cap):
            guard base > .zero, cap > .zero else { return .zero }
            let times = max(1, attempt)
            return base <= cap / times ? base * times : cap
        case .exponential(let base, let cap):
            return ExponentialBackoff(base: base, longest: cap).delay(after: attempt)
        }
    }
}
