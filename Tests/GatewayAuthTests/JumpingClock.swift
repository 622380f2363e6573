import GatewayCore

/// A clock on which every sleep is over at once.
final class JumpingClock: GatewayClock {
    private let skipped = Locked<Duration>(.zero)

    var now: ContinuousClock.Instant { ContinuousClock.now + skipped.withLock(\.self) }
    var unixTime: Duration { SystemClock().unixTime }
    func sleep(until instant: ContinuousClock.Instant) async throws(CancellationError) {
        let rest = now.duration(to: instant)
        if rest > .zero { skipped.withLock { $0 += rest } }
        if Task.isCancelled { throw CancellationError() }
    }
}
