import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayResilience

@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct HedgeTimerTests {
    private final class Journal: Sendable {
        let lines = Locked<[Int]>([])
        var all: [Int] { lines.withLock { $0 } }
    }

    private final class Call: HedgeWaiter {
        let due: Int
        let journal: Journal

        init(_ due: Int, _ journal: Journal) {
            self.due = due
            self.journal = journal
        }

        func delayHasPassed() { journal.lines.withLock { $0.append(due) } }
    }

    /// Random delays at random times, and calls that end before: each other one is rung once, when it is due and not before.
    @Test(arguments: 0..<20 as Range<UInt64>) func eachCallIsWokenWhenItsDelayHasPassed(seed: UInt64) async {
        let random = SeededRandomSource(seed: TestSeed.value(seed))
        let clock = ManualClock()
        let timer = HedgeTimer(clock: clock)
        let journal = Journal()
        let start = clock.now
        var now = 0
        var due: [Int] = []
        var places: [(at: Int, place: HedgeTimer.Place)] = []
        for _ in 0..<80 {
            let choice = random.int(in: 0..<4)
            if choice > 1 {
                let at = now + random.int(in: 1..<50)
                due.append(at)
                places.append((at, timer.schedule(Call(at, journal), at: start + .milliseconds(at))))
            } else if choice == 1, !places.isEmpty {
                let (at, place) = places.remove(at: random.int(in: 0..<places.count))
                timer.remove(place)
                if at > now, let index = due.firstIndex(of: at) { due.remove(at: index) }
                #expect(timer.count == due.filter { $0 > now }.count)
            } else {
                let step = random.int(in: 1..<20)
                now += step
                let (passed, left) = (due.filter { $0 <= now }, due.filter { $0 > now })
                // Somebody sleeps until the earliest.
                if !left.isEmpty || passed.count > journal.all.count { await clock.waitForSleepers(1) }
                clock.advance(by: .milliseconds(step))
                await eventually { journal.all.count >= passed.count }
                #expect(journal.all.sorted() == passed.sorted())
                await eventually { timer.count == left.count }
                if !left.isEmpty { await clock.waitForSleepers(1) }
            }
        }
        while timer.count > 0 {
            await clock.waitForSleepers(1)
            clock.advanceToNextSleeper()
            await eventually { clock.sleeperCount > 0 || timer.count == 0 }
        }
        await eventually { journal.all.count == due.count }
        #expect(journal.all.sorted() == due.sorted())
        for (_, place) in places { timer.remove(place) }
        #expect(timer.count == 0)
    }

    /// The place of a call that has ended is the next one's, and what the call holds is released.
    @Test func aCallThatHasEndedLeavesNothing() {
        let timer = HedgeTimer(clock: ManualClock())
        let start = ManualClock().now
        weak var journal: Journal?
        for call in 0..<1_000 {
            let made = Journal()
            journal = made
            let place = timer.schedule(Call(call, made), at: start + .seconds(100 - call % 7))
            timer.remove(place)
            #expect(timer.count == 0)
        }
        #expect(journal == nil && timer.placeCount == 1)
    }

    /// Calls with the same delay share a sleep, and leave nothing behind.
    @Test func aThousandCallsNeedOneSleeper() async {
        let clock = ManualClock()
        let timer = HedgeTimer(clock: clock)
        let journal = Journal()
        let start = clock.now
        for call in 0..<1_000 {
            _ = timer.schedule(Call(call, journal), at: start + .milliseconds(50 + call / 100))
        }
        await clock.waitForSleepers(1)
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .seconds(1))
        await eventually { journal.all.count == 1_000 }
        await eventually { clock.sleeperCount == 0 }
        let delays = journal.all.map { $0 / 100 }
        #expect(delays == delays.sorted(), "the earliest first")
        #expect(timer.count == 0)
    }

    /// A sleep that an earlier one has replaced does not begin another one.
    @Test func sleepsDoNotMultiply() async {
        let clock = ManualClock()
        let timer = HedgeTimer(clock: clock)
        let journal = Journal()
        let start = clock.now
        for (count, due) in [(1, 100), (2, 50), (2, 150)] {
            _ = timer.schedule(Call(due, journal), at: start + .milliseconds(due))
            await clock.waitForSleepers(count)
        }
        clock.advance(by: .milliseconds(50))
        await eventually { journal.all == [50] && clock.sleeperCount == 2 }
        clock.advance(by: .milliseconds(50))
        await eventually { journal.all == [50, 100] && clock.sleeperCount > 0 }
        clock.advance(by: .milliseconds(50))
        await eventually { journal.all == [50, 100, 150] && clock.sleeperCount == 0 }
        // The two that were replaced or asked for again end at the same instant.
        #expect(clock.requestedDelays.count == 4)
    }

    @Test func aTimerIsNotKeptByItsSleep() async {
        let clock = ManualClock()
        weak var timer: HedgeTimer?
        do {
            let made = HedgeTimer(clock: clock)
            _ = made.schedule(Call(1, Journal()), at: clock.now + .seconds(1))
            timer = made
            await clock.waitForSleepers(1)
        }
        #expect(timer == nil)
    }
}
