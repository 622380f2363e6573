import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayCurl

/// The clock of the loop, where a test moves it.
@Suite(.tags(.concurrent), .timeLimit(.minutes(1))) struct LoopClockTests {
    /// A clock that counts how often it is read.
    private struct CountedClock: GatewayClock {
        let clock = ManualClock()
        let reads = Tally()

        var now: ContinuousClock.Instant {
            reads.add()
            return clock.now
        }
        var unixTime: Duration { clock.unixTime }
        func sleep(until instant: ContinuousClock.Instant) async throws(CancellationError) {
            try await clock.sleep(until: instant)
        }
    }

    @Test func theSystemsClockIsNotInjected() {
        let clock = LoopClock(SystemClock())
        #expect(!clock.isInjected)
        let (before, now) = (LoopClock.systemNow, clock.now)
        #expect(before <= now && now <= LoopClock.systemNow)
    }

    @Test func aDeadlineIsCountedOnTheClockOfItsCall() {
        let clock = ManualClock()
        clock.advance(by: .seconds(3_600))
        let deadline = Deadline.after(.seconds(10), clock: clock)
        clock.advance(by: .seconds(4))
        #expect(LoopClock.instant(of: deadline, on: clock, now: 7_000_000_000) == 13_000_000_000)
    }

    @Test func timeIsThatOfTheClock() {
        let clock = ManualClock()
        let loops = LoopClock(clock)
        #expect(loops.isInjected && loops.now == 0)
        clock.advance(by: .milliseconds(1500))
        #expect(loops.now == 1_500_000_000)
    }

    /// Nothing is looked at until the clock is moved, apart from libcurl once a second; then what is due happens, although
    /// nothing comes in on the sockets.
    @Test func aMovedClockWakesTheLoop() async {
        let server = FaultServer { connection in
            _ = connection.readRequest()
            connection.waitForClose()
        }
        defer { server.stop() }
        let clock = CountedClock()
        let transport = transport {
            $0.clock = clock
            $0.timeouts.firstByte = .seconds(20)
        }
        let url = server.url
        let call = Task { await failure { () throws(NetworkError) in try await transport.send(.get, url) } }
        await transport.waitForStages(.waiting)
        await clock.clock.waitForSleepers(1)
        // The alarm is set to when the limit ends; libcurl's turn each second would hide one that comes late.
        #expect(clock.clock.requestedDelays.allSatisfy { $0 <= .milliseconds(20_010) })
        let before = clock.reads.count
        await elapse(milliseconds: 50)
        #expect(clock.reads.count - before < 100, "it does not turn without end")
        clock.clock.advance(by: .seconds(19))
        await transport.settle()
        #expect(await transport.stages() == [.waiting])
        clock.clock.advance(by: .seconds(1))
        #expect(await call.value?.limit == .firstByte)
    }
}
