#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#elseif canImport(Darwin)
    private import Darwin
#endif

/// The machine's own clocks.
public struct SystemClock: GatewayClock {
    /// Makes one; all are the same.
    public init() {}

    /// The monotonic now.
    public var now: ContinuousClock.Instant { ContinuousClock.now }

    /// The wall clock.
    public var unixTime: Duration {
        var time = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &time)
        return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
    }

    /// Returns at the instant, or throws when the task is cancelled. Any instant is safe.
    public func sleep(until instant: ContinuousClock.Instant) async throws(CancellationError) {
        let instant = instant.bounded
        do { try await Task.sleep(until: instant, clock: .continuous) } catch { throw CancellationError() }
    }
}
