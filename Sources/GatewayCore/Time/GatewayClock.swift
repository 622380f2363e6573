/// Where time comes from, so that tests can hold it in their hands.
public protocol GatewayClock: Sendable {
    /// The monotonic now, for deadlines, waits and lifetimes.
    var now: ContinuousClock.Instant { get }
    /// The wall clock: time since 1970-01-01T00:00:00Z. Only for what comes from outside or is stored.
    var unixTime: Duration { get }
    /// Returns at the instant, or earlier by throwing when the task is cancelled.
    func sleep(until instant: ContinuousClock.Instant) async throws(CancellationError)
}
