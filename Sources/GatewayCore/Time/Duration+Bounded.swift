/// Arithmetic on times that come from users, files and servers. `+`, `*` and `components` trap on overflow; these do
/// not.
extension Duration {
    /// The longest time that is counted, in either direction: 10,000 years, which means "never". Sums of several such
    /// times and of dates up to the year 9999 are far from an overflow.
    package static var longest: Duration { .seconds(315_569_520_000) }

    /// The duration, at most ``longest`` in either direction.
    package var bounded: Duration { min(max(self, .zero - .longest), .longest) }

    /// The product, at most ``longest`` in either direction; zero where the factor or the product is not a number.
    package func scaled(by factor: Double) -> Duration {
        let limit = Duration.longest / .seconds(1)
        let seconds = self / .seconds(1) * factor
        if abs(seconds) < limit { return self * factor }
        return seconds.isNaN ? .zero : seconds < 0 ? .zero - .longest : .longest
    }

    /// The whole seconds of the duration, which is bounded first.
    package var wholeSeconds: Int64 { bounded.components.seconds }
}

extension ContinuousClock.Instant {
    /// What `Task.sleep` takes, with room to add to.
    private static let first = ContinuousClock.now.advanced(by: .seconds(Int64.min / 4))
    private static let last = ContinuousClock.now.advanced(by: .seconds(Int64.max / 4))

    /// The instant, within 73 billion years of now.
    package var bounded: Self { min(max(self, Self.first), Self.last) }

    /// The instant that is so much later. The duration is bounded first.
    package func adding(_ duration: Duration) -> Self { advanced(by: duration.bounded) }
}

// Inlinable, so that they are specialized for the type of the number.
extension FixedWidthInteger {
    /// The sum, or the nearest number that the type has.
    @inlinable
    package func addingClamped(_ other: Self) -> Self {
        let (sum, isOverflow) = addingReportingOverflow(other)
        return isOverflow ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, or the nearest number that the type has.
    @inlinable
    package func subtractingClamped(_ other: Self) -> Self {
        let (difference, isOverflow) = subtractingReportingOverflow(other)
        return isOverflow ? (other < 0 ? .max : .min) : difference
    }
}
