/// Delays that double with each failure, up to a longest one. Any numbers are safe.
package struct ExponentialBackoff: Sendable {
    /// The delay after the first failure.
    private let base: Duration
    /// The longest delay.
    private let longest: Duration

    package init(base: Duration, longest: Duration) {
        self.base = base
        self.longest = longest
    }

    /// The delay after so many failures in a row, from 1.
    package func delay(after failures: Int) -> Duration {
        guard base > .zero, longest > .zero else { return .zero }
        let doublings = max(1, failures) - 1
        // 2^62 times any base is beyond every longest delay.
        guard doublings < 62, base <= longest / (1 << doublings) else { return longest }
        return base * (1 << doublings)
    }

    /// The delay, of which a half is random, so that clients do not come back together.
    ///
    /// - Parameter chance: a random number from 0 to 1.
    package func delay(after failures: Int, chance: Double) -> Duration {
        delay(after: failures).scaled(by: 0.5 + 0.5 * chance)
    }
}
