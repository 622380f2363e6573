/// A source of time, so that tests can control it.
public protocol GatewayClock: Sendable {
    /// The current instant of the monotonic clock, for deadlines, waits and lifetimes.
    var now: ContinuousClock.Instant { get }
    /// The instant ``now`` as the time since `ContinuousClock.systemEpoch`; it is what calls read. Default: computed from
    /// ``now``, with which it must agree.
    var timeSinceEpoch: Duration { get }
    /// The wall clock: the time since 1970-01-01T00:00:00Z. Use it only for external or stored times.
    var unixTime: Duration { get }
    /// Waits until an instant, or throws when the task is cancelled.
    func sleep(until instant: ContinuousClock.Instant) async throws(CancellationError)
}
