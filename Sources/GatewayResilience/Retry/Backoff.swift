/// How long to wait before the next attempt, before jitter.
public enum Backoff: Hashable, Sendable {
    /// Not at all.
    case immediate
    /// The same each time.
    case fixed(Duration)
    /// The base, then twice as long each time, up to a cap.
    case exponential(base: Duration, cap: Duration)

    /// The wait after an attempt.
    ///
    /// - Parameter attempt: the attempt that failed, from 1; any number is safe.
    public func delay(after attempt: Int) -> Duration {
        switch self {
        case .immediate: return .zero
        case .fixed(let delay): return max(.zero, delay)
        case .exponential(let base, let cap):
            guard base > .zero, cap > .zero else { return .zero }
            let doublings = max(1, attempt) - 1
            // 2^62 of anything measurable is past every cap.
            guard doublings < 62, base <= cap / (1 << doublings) else { return cap }
            return base * (1 << doublings)
        }
    }
}
