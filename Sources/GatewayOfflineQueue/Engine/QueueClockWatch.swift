import GatewayCore

/// What is known of the wall clock: the newest time of a store is a belief, and holds back entries while the clock is behind it.
///
/// Within a process the monotonic clock says how far the wall clock can have gone. What an earlier process has noted is believed,
/// until a server says that it is earlier: its `Date` (RFC 9110 §6.6.1) can lower the newest time, never raise it.
struct QueueClockWatch {
    /// What a clock may be behind without anything being done about it.
    static let tolerance = Duration.seconds(10)
    /// The most that a `Date` may be too early, its whole seconds and the time that the response took included.
    static let dateTolerance = Duration.seconds(120)

    /// A time of the wall clock, and of the monotonic one.
    private struct Mark {
        let time: QueueTime
        let instant: ContinuousClock.Instant

        /// The time that it is now, if it was right.
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

    /// Notes the newest time that earlier processes have left.
    mutating func noteKnown(_ newest: QueueTime?) { known = newest }

    /// Notes a `Date` of a server that has proved who it is.
    mutating func noteDate(_ date: QueueTime, at now: ContinuousClock.Instant) {
        server = Mark(time: date, instant: now)
    }

    /// To what the newest time is lowered; `nil` if it is believed.
    ///
    /// - Parameter wall: the wall clock's now. What it shows is never doubted here.
    func limit(of newest: QueueTime, wall: QueueTime, at now: ContinuousClock.Instant) -> QueueTime? {
        let expected = start.moved(to: now)
        var limit = max(known ?? expected, expected)
        if let date = server?.moved(to: now), limit > date.adding(Self.dateTolerance) { limit = date }
        limit = max(limit, wall)
        return newest > limit.adding(Self.tolerance) ? limit : nil
    }
}
