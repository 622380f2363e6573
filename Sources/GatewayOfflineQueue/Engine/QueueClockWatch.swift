import GatewayCore

/// Detects a wrong newest time of a store, which holds back entries while the clock is behind it.
///
/// Within a process the monotonic clock bounds the wall clock. A time that an earlier process has recorded
/// is trusted until a server reports an earlier one: its `Date` (RFC 9110 §6.6.1) can lower the newest time,
/// but never raise it.
struct QueueClockWatch {
    /// The tolerated difference of the clocks.
    static let tolerance = Duration.seconds(10)
    /// The maximum error of a `Date`, including its resolution of one second and the response time.
    static let dateTolerance = Duration.seconds(120)

    /// A time of the wall clock, and of the monotonic one.
    private struct Mark {
        let time: QueueTime
        let instant: ContinuousClock.Instant

        /// The time now, if the recorded time was right.
        func moved(to now: ContinuousClock.Instant) -> QueueTime { time.adding(instant.duration(to: now)) }
    }

    private let start: Mark
    /// The newest time when the process began.
    private var known: QueueTime?
    /// The latest `Date` of a server.
    private var server: Mark?

    init(_ clock: any GatewayClock) {
        start = Mark(time: QueueTime(clock), instant: clock.now)
    }

    /// Records the newest time of earlier processes.
    mutating func noteKnown(_ newest: QueueTime?) { known = newest }

    /// Records the `Date` of an authenticated server.
    mutating func noteDate(_ date: QueueTime, at now: ContinuousClock.Instant) {
        server = Mark(time: date, instant: now)
    }

    /// The time to which the newest time must be lowered; `nil` if it is plausible.
    ///
    /// - Parameter wall: the current wall-clock time, which is trusted here.
    func limit(of newest: QueueTime, wall: QueueTime, at now: ContinuousClock.Instant) -> QueueTime? {
        let expected = start.moved(to: now)
        var limit = max(known ?? expected, expected)
        if let date = server?.moved(to: now), limit > date.adding(Self.dateTolerance) { limit = date }
        limit = max(limit, wall)
        return newest > limit.adding(Self.tolerance) ? limit : nil
    }
}
