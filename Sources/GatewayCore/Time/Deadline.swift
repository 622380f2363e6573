/// The instant by which a whole call must be over. It is absolute, travels down, and nothing extends it.
public struct Deadline: Hashable, Comparable, Sendable {
    /// The instant.
    public let instant: ContinuousClock.Instant

    /// A deadline at an instant of the monotonic clock, which is moved to within 73 billion years of now.
    public init(_ instant: ContinuousClock.Instant) { self.instant = instant.bounded }

    /// A deadline that much after now. Zero or less has passed already; more than 10,000 years count as that.
    public static func after(_ duration: Duration, clock: any GatewayClock = SystemClock()) -> Deadline {
        Deadline(clock.now.adding(duration))
    }

    /// What is left at an instant; negative when the deadline has passed.
    public func remaining(at now: ContinuousClock.Instant) -> Duration { now.duration(to: instant) }

    /// Whether the deadline has passed at an instant.
    public func hasPassed(at now: ContinuousClock.Instant) -> Bool { now >= instant }

    /// Whether one deadline comes before another.
    public static func < (a: Deadline, b: Deadline) -> Bool { a.instant < b.instant }
}
