import GatewayCore
import Testing

/// Arithmetic on times and counts that others give never traps.
@Suite(.timeLimit(.minutes(1))) struct BoundedTimeTests {
    private static let never = Duration.longest

    @Test(arguments: Extremes.durations)
    func durationsAreBounded(duration: Duration) {
        let bounded = duration.bounded
        #expect(bounded >= .zero - Self.never && bounded <= Self.never)
        #expect(duration.wholeSeconds == bounded.components.seconds)
        for factor in Extremes.doubles {
            let product = duration.scaled(by: factor)
            #expect(product >= .zero - Self.never && product <= Self.never)
        }
    }

    @Test func ordinaryDurationsStayAsTheyAre() {
        for seconds in [-86_400.0, -1.5, 0, 1e-9, 0.25, 3600, 1e9] {
            let duration = Duration.seconds(seconds)
            #expect(duration.bounded == duration)
            for factor in [0, 0.1, 0.5, 1, 256] { #expect(duration.scaled(by: factor) == duration * factor) }
        }
        #expect(Duration.seconds(1).scaled(by: .nan) == .zero)
        #expect(Duration.zero.scaled(by: .infinity) == .zero)
        #expect(Duration.seconds(1).scaled(by: -.infinity) == .zero - Self.never)
    }

    @Test func millisecondsAreWhole() {
        #expect(Duration.microseconds(1_999).wholeMilliseconds == 1)
        #expect(Duration.microseconds(-1_999).wholeMilliseconds == -1)
        #expect((Duration.seconds(Int64.max) * 10).wholeMilliseconds == 315_569_520_000_000)
        #expect(Duration.seconds(Int64.min).wholeMilliseconds == -315_569_520_000_000)
    }

    @Test func sumsAreClamped() {
        for first in Extremes.integers {
            for second in Extremes.integers {
                let sum = first.addingReportingOverflow(second)
                let difference = first.subtractingReportingOverflow(second)
                #expect(first.addingClamped(second) == (sum.overflow ? (first < 0 ? .min : .max) : sum.0))
                #expect(
                    first.subtractingClamped(second)
                        == (difference.overflow ? (first < 0 ? .min : .max) : difference.0))
            }
        }
    }

    @Test(arguments: Extremes.durations)
    func aDeadlineTakesAnyDuration(duration: Duration) {
        let clock = StandingClock()
        let deadline = Deadline.after(duration, clock: clock)
        #expect(deadline.remaining(at: clock.now) == duration.bounded)
        #expect(deadline.hasPassed(at: clock.now) == (duration <= .zero))
        // An instant of the caller's own, as far away as one can be made.
        guard duration < .seconds(Int64.max) else { return }
        let far = Deadline(clock.now.advanced(by: duration))
        #expect(far.hasPassed(at: clock.now) == (duration <= .zero))
        #expect(abs(far.remaining(at: clock.now).components.seconds) < Int64.max / 2)
    }

    /// Of two sleeps the one until an instant that never comes is not the first to end.
    @Test(arguments: [Duration.seconds(Int64.max / 2), .seconds(Int64.max), .seconds(Int64.max) * 10])
    func whatIsFarAwayDoesNotCome(duration: Duration) async {
        let clock = SystemClock()
        let first = await withTaskGroup(of: String.self) { group in
            for (name, limit) in [("far", duration), ("near", .milliseconds(20))] {
                group.addTask {
                    do {
                        try await clock.sleep(until: clock.now.advanced(by: limit))
                        return name
                    } catch { return "cancelled" }
                }
            }
            let first = await group.next()
            group.cancelAll()
            #expect(await group.next() == "cancelled")
            return first
        }
        #expect(first == "near")
    }

    @Test(arguments: [Duration.seconds(Int64.min), .seconds(-1), .zero])
    func whatHasPassedDoesNotHold(duration: Duration) async throws {
        let clock = SystemClock()
        try await clock.sleep(until: clock.now.advanced(by: duration))
    }

    @Test(arguments: Extremes.durations)
    func datesAreReadAtAnyTime(unixTime: Duration) {
        for text in [
            "99999999999999999999999", "-9223372036854775808", "1e308", "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994", "Fri, 31 Dec 9999 23:59:60 GMT",
            "Sat, 01 Jan 0000 00:00:00 GMT", "Sat, 01 Jan 9223372036854775807 00:00:00 GMT",
            "Sat, 9223372036854775807 Jan 2000 9223372036854775807:00:00 GMT",
        ] {
            let wait = RetryAfter.parse(text, unixTime: unixTime) ?? .zero
            #expect(wait >= .zero && wait <= RetryAfter.longest)
        }
    }
}

/// A clock that stands still.
private struct StandingClock: GatewayClock {
    let now = ContinuousClock.now
    let unixTime = Duration.zero

    func sleep(until instant: ContinuousClock.Instant) {}
}
