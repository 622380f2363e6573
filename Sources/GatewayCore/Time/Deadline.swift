/// The instant by which a whole call must have ended. It is absolute, is passed down unchanged, and is never extended.
public struct Deadline: Comparable, Sendable {
    /// The instant.
    public var instant: ContinuousClock.Instant { time.instant }
    package let time: MonotonicTime
    /// The original duration, if it is known. It is used in error messages.
    package let limit: Duration?

    /// Creates a deadline at an instant of the monotonic clock, clamped to within 73 billion years of its epoch.
    public init(_ instant: ContinuousClock.Instant) {
        time = MonotonicTime(instant).bounded
        limit = nil
    }

    private init(after duration: Duration, from now: MonotonicTime) {
        time = now.adding(duration).bounded
        limit = duration
    }

    /// Creates a deadline after a duration from now. With zero or a negative duration it has already passed. The
    /// duration is clamped to 10,000 years.
    public static func after(_ duration: Duration, clock: any GatewayClock = SystemClock()) -> Deadline {
        Deadline(after: duration, from: clock.time)
    }

    /// The earlier one of two optional deadlines.
    package static func earliest(_ a: Deadline?, _ b: Deadline?) -> Deadline? {
        guard let a, let b else { return a ?? b }
        return min(a, b)
    }

    /// The remaining time at an instant; negative if the deadline has passed.
    public func remaining(at now: ContinuousClock.Instant) -> Duration {
        remaining(at: MonotonicTime(now))
    }

    /// The remaining time at a time; negative if the deadline has passed.
    package func remaining(at now: MonotonicTime) -> Duration { now.duration(to: time) }

    /// Whether the deadline has passed at an instant.
    public func hasPassed(at now: ContinuousClock.Instant) -> Bool { hasPassed(at: MonotonicTime(now)) }

    /// Whether the deadline has passed at a time.
    package func hasPassed(at now: MonotonicTime) -> Bool { now >= time }

    /// Whether one deadline is before another.
    public static func < (a: Deadline, b: Deadline) -> Bool { a.time < b.time }
}

extension Deadline: Hashable {
    /// Whether the instants are equal.
    public static func == (a: Deadline, b: Deadline) -> Bool { a.time == b.time }

    /// Hashes the instant.
    public func hash(into hasher: inout Hasher) { hasher.combine(time) }
}
