import CLibcurl
import GatewayCore
private import GatewayLibC

/// The clock of a transport's own time limits and lifetimes: nanoseconds, as plain integers.
struct LoopClock: Sendable {
    /// Far enough away to mean "never", near enough to add to.
    static let never = Int64.max / 4

    /// The clock of a test; `nil` for the system's monotonic clock.
    private let injected: (any GatewayClock)?
    /// The zero of an injected clock.
    private let zero: ContinuousClock.Instant

    /// The time of a clock. That of ``SystemClock`` is read with one system call.
    init(_ clock: any GatewayClock) {
        isInjected = !(clock is SystemClock)
        injected = isInjected ? clock : nil
        zero = clock.now
    }

    /// Whether it is another clock than the system's, for which the kernel cannot wait.
    let isInjected: Bool

    /// Now.
    @inline(__always)
    var now: Int64 { isInjected ? injectedNow : Self.systemNow }

    private var injectedNow: Int64 { Self.nanoseconds(zero.duration(to: injected?.now ?? zero)) }

    /// Now, on the system's monotonic clock. libcurl's timers use no other.
    static var systemNow: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Returns at an instant of an injected clock; `false` if the task is cancelled before.
    func sleep(until instant: Int64) async -> Bool {
        guard let injected else { return false }
        do throws(CancellationError) {
            try await injected.sleep(until: zero.adding(.nanoseconds(instant)))
            return true
        } catch {
            return false
        }
    }

    /// Converts a deadline on the clock of its call to an instant of this clock.
    static func instant(of deadline: Deadline, on clock: any GatewayClock, now: Int64) -> Int64 {
        now + nanoseconds(deadline.remaining(at: clock.now))
    }

    // Constant, because creating a duration takes a 128-bit multiplication.
    private static let century = Duration.seconds(3_200_000_000)
    private static let centuryAgo = Duration.zero - century

    /// A duration in nanoseconds, clamped to a century either way.
    static func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = min(max(duration, centuryAgo), century).components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// The wheel's tick, a millisecond, at which an instant has passed.
    static func tick(of instant: Int64) -> UInt64 { UInt64(max(0, (instant + 999_999) / 1_000_000)) }
}
