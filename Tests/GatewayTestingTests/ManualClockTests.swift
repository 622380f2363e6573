import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@Suite(.tags(.concurrent)) struct ManualClockTests {
    @Test func sleepersWakeWhenTheClockIsMovedPastThem() async throws {
        let clock = ManualClock()
        let start = clock.now
        let sleeper = Task { try await clock.sleep(until: start + .seconds(10)) }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(9))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        try await sleeper.value
        #expect(clock.sleeperCount == 0)
        #expect(clock.requestedDelays == [.seconds(10)])
    }

    @Test func cancellationEndsASleep() async {
        let clock = ManualClock()
        let sleeper = Task { try await clock.sleep(until: clock.now + .seconds(10)) }
        await clock.waitForSleepers(1)
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(clock.sleeperCount == 0)
    }

    @Test func aSleepOfACancelledTaskEndsAtOnce() async {
        let clock = ManualClock()
        let gate = Gate()
        let sleeper = Task {
            await gate.pass()
            try await clock.sleep(until: clock.now + .seconds(10))
        }
        await gate.waitForArrivals(1)
        sleeper.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test func theWallClockMovesAloneWhenSet() {
        let clock = ManualClock(unixTime: .seconds(1000))
        let now = clock.now
        clock.setUnixTime(.seconds(10))
        #expect(clock.unixTime == .seconds(10))
        #expect(clock.now == now)
    }

    @Test func theSameSeedGivesTheSameNumbers() {
        let (a, b) = (SeededRandomSource(seed: 7), SeededRandomSource(seed: 7))
        #expect((0..<100).map { _ in a.next() } == (0..<100).map { _ in b.next() })
        #expect((0..<1000).allSatisfy { _ in (0..<1).contains(a.unit()) })
    }
}
