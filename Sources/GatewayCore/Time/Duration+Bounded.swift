/// Arithmetic for durations and instants from users, files and servers. Unlike `+`, `*` and `components`, these methods
/// do not trap on overflow.
extension Duration {
    /// The maximum duration in either direction: 10,000 years, which means "never". Sums of several such durations and
    /// of dates up to the year 9999 do not overflow.
    package static var longest: Duration { .seconds(315_569_520_000) }

    /// The duration, clamped to ±``longest``.
    package var bounded: Duration { min(max(self, .zero - .longest), .longest) }

    /// Whole milliseconds of the duration, which is bounded first.
    package var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = bounded.components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }

    /// The product, clamped to ±``longest``; zero if the result is not a number.
    package func scaled(by factor: Double) -> Duration {
        let limit = Duration.longest / .seconds(1)
        let seconds = self / .seconds(1) * factor
        if abs(seconds) < limit { return self * factor }
        return seconds.isNaN ? .zero : seconds < 0 ? .zero - .longest : .longest
    }

    /// The whole seconds of the clamped duration.
    package var wholeSeconds: Int64 { bounded.components.seconds }
}

extension ContinuousClock.Instant {
    /// The range of instants that `Task.sleep` accepts, with a margin for additions.
    private static let first = ContinuousClock.now.advanced(by: .seconds(Int64.min / 4))
    private static let last = ContinuousClock.now.advanced(by: .seconds(Int64.max / 4))

    /// The instant, clamped to within 73 billion years of now.
    package var bounded: Self { min(max(self, Self.first), Self.last) }

    /// The instant after a duration, which is clamped first.
    package func adding(_ duration: Duration) -> Self { advanced(by: duration.bounded) }
}

// Inlinable, so that they are specialized for the integer type.
extension FixedWidthInteger {
    /// The sum, clamped to the range of the type.
    @inlinable
    package func addingClamped(_ other: Self) -> Self {
        let (sum, isOverflow) = addingReportingOverflow(other)
        return isOverflow ? (other < 0 ? .min : .max) : sum
    }

    /// The difference, clamped to the range of the type.
    @inlinable
    package func subtractingClamped(_ other: Self) -> Self {
        let (difference, isOverflow) = subtractingReportingOverflow(other)
        return isOverflow ? (other < 0 ? .max : .min) : difference
    }
}
