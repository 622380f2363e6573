import CLibcurl
import GatewayCore
private import GatewayLibC

/// The clock of a transport's own time limits and lifetimes, in nanoseconds.
struct LoopClock: Sendable {
    /// The instant for "never": beyond every limit, without overflow in additions.
    static let never = Int64.max / 4

    /// The injected clock; `nil` for the system's monotonic clock.
    private let injected: (any GatewayClock)?
    /// The zero of an injected clock.
    private let zero: ContinuousClock.Instant

    /// Uses the time of a clock. The time of ``SystemClock`` is read with one system call.
    init(_ clock: any GatewayClock) {
        isInjected = !(clock is SystemClock)
        injected = isInjected ? clock : nil
        zero = clock.now
    }

    /// Whether the clock is not the system's, so that the kernel cannot wait for it.
    let isInjected: Bool

    /// Now.
    @inline(__always)
    var now: Int64 { isInjected ? injectedNow : Self.systemNow }

    private var injectedNow: Int64 { Self.nanoseconds(zero.duration(to: injected?.now ?? zero)) }

    /// Now, on the system's monotonic clock, which libcurl's timers always use.
    static var systemNow: Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Returns at an instant of an injected clock; `false` if the task is cancelled first.
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
        now + nanoseconds(deadline.remaining(at: clock.time))
    }

    // Constant, because creating a duration takes a 128-bit multiplication.
    private static let century = Duration.seconds(3_200_000_000)
    private static let centuryAgo = Duration.zero - century

    /// A duration in nanoseconds, clamped to ±100 years.
    static func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = min(max(duration, centuryAgo), century).components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// The first tick of the wheel, in milliseconds, at or after an instant.
    static func tick(of instant: Int64) -> UInt64 { UInt64(max(0, (instant + 999_999) / 1_000_000)) }
}
