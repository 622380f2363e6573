private import GatewayLibC

/// The clocks of the machine.
public struct SystemClock: GatewayClock {
    /// Creates a clock. All instances are equivalent.
    public init() {}

    /// The current instant of the monotonic clock.
    public var now: ContinuousClock.Instant { ContinuousClock.now }

    /// The time of the monotonic clock since its epoch. Takes half as long as ``now``.
    public var timeSinceEpoch: Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return Duration(
            secondsComponent: Int64(time.tv_sec), attosecondsComponent: Int64(time.tv_nsec) * 1_000_000_000)
    }

    /// The wall clock: the time since 1970-01-01T00:00:00Z.
    public var unixTime: Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    /// Waits until an instant, or throws when the task is cancelled. Any instant is allowed.
    public func sleep(until instant: ContinuousClock.Instant) async throws(CancellationError) {
        let instant = instant.bounded
        do { try await Task.sleep(until: instant, clock: .continuous) } catch { throw CancellationError() }
    }
}
