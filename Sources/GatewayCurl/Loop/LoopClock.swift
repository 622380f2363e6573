import CLibcurl
import GatewayCore

#if canImport(Glibc)
    private import Glibc
#else
    private import Musl
#endif

/// The loop's time: nanoseconds of the monotonic clock, as plain integers.
enum LoopClock {
    /// Far enough away to mean "never", near enough to add to.
    static let never = Int64.max / 4

    /// Now.
    static var now: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// A duration in nanoseconds, clamped to a century either way.
    static func nanoseconds(_ duration: Duration) -> Int64 {
        let century = Duration.seconds(3_200_000_000)
        let (seconds, attoseconds) = min(max(duration, .zero - century), century).components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// The instant that is so far ahead of `now` as the deadline is of its own clock's now.
    static func instant(of deadline: Deadline, now: Int64) -> Int64 {
        now + nanoseconds(deadline.remaining(at: ContinuousClock.now))
    }

    /// The wheel's tick, a millisecond, at which an instant has passed.
    static func tick(of instant: Int64) -> UInt64 { UInt64(max(0, (instant + 999_999) / 1_000_000)) }
}
