import GatewayCore
import Testing

/// The times that calls keep are instants of the clock.
@Suite struct MonotonicTimeTests {
    private static let now = ContinuousClock().systemEpoch + .seconds(1_000_000)

    /// Three readings in this order are in this order, however long they take.
    @Test func theSystemsTimeIsThatOfItsInstants() {
        let clock = SystemClock()
        for _ in 0..<1_000 {
            let (before, time, after) = (clock.now, clock.time.instant, ContinuousClock.now)
            #expect(before <= time && time <= after)
        }
    }

    @Test func anInstantIsKeptExactly() {
        let now = Self.now
        for step in [Duration.zero, .nanoseconds(-1), .seconds(1_000_000_000), Duration(attoseconds: 7)] {
            let instant = now + step
            #expect(MonotonicTime(instant).instant == instant)
            #expect(MonotonicTime(now).duration(to: MonotonicTime(instant)) == step)
            #expect(MonotonicTime(now).adding(step) == MonotonicTime(instant))
        }
    }

    /// A clock that knows only its instants has the same time.
    @Test func anyClockHasATime() {
        struct OtherClock: GatewayClock {
            let now = MonotonicTimeTests.now
            var unixTime: Duration { .zero }
            func sleep(until instant: ContinuousClock.Instant) async throws(CancellationError) {}
        }
        let clock = OtherClock()
        #expect(clock.time.instant == clock.now)
        #expect(Deadline.after(.seconds(1), clock: clock).instant == clock.now + .seconds(1))
    }

    @Test func longDurationsDoNotOverflow() {
        let time = MonotonicTime(Self.now)
        let longest = Duration(secondsComponent: .max, attosecondsComponent: 0)
        #expect(time.adding(longest) > time && time.adding(.zero - longest) < time)
        #expect(MonotonicTime(sinceEpoch: longest).bounded.sinceEpoch == .seconds(Int64.max / 4))
        #expect(MonotonicTime(sinceEpoch: .zero - longest).bounded.sinceEpoch == .seconds(-(Int64.max / 4)))
    }
}
