/// An instant of the monotonic clock, for what calls keep and pass on.
///
/// Why not `ContinuousClock.Instant`: its layout is known only at run time, so that a structure with one in it, such as the
/// values of a context or an event, would be read and copied through tables.
package struct MonotonicTime: Hashable, Sendable {
    /// The time since the epoch of the clock.
    package let sinceEpoch: Duration

    /// Makes a time of a duration since the epoch of the clock.
    package init(sinceEpoch: Duration) { self.sinceEpoch = sinceEpoch }

    /// Makes a time of an instant.
    package init(_ instant: ContinuousClock.Instant) {
        sinceEpoch = ContinuousClock().systemEpoch.duration(to: instant)
    }

    /// The instant.
    package var instant: ContinuousClock.Instant { ContinuousClock().systemEpoch.advanced(by: sinceEpoch) }

    /// The duration from this time to another; negative if that one is earlier.
    package func duration(to other: MonotonicTime) -> Duration { other.sinceEpoch - sinceEpoch }

    /// The time after a duration, which is clamped first.
    package func adding(_ duration: Duration) -> MonotonicTime {
        MonotonicTime(sinceEpoch: sinceEpoch + duration.bounded)
    }

    /// The time, clamped to what `Task.sleep` accepts: within 73 billion years of the epoch.
    package var bounded: MonotonicTime {
        let limit = Duration.seconds(Int64.max / 4)
        return MonotonicTime(sinceEpoch: min(max(sinceEpoch, .zero - limit), limit))
    }
}

extension MonotonicTime: Comparable {
    package static func < (a: MonotonicTime, b: MonotonicTime) -> Bool { a.sinceEpoch < b.sinceEpoch }
}

extension GatewayClock {
    /// The current time.
    package var time: MonotonicTime { MonotonicTime(sinceEpoch: timeSinceEpoch) }

    /// Computed from ``now``.
    public var timeSinceEpoch: Duration { MonotonicTime(now).sinceEpoch }
}
