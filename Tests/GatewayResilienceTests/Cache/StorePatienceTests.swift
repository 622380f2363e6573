import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayResilience

/// Waiting for a store for a limited time.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct StorePatienceTests {
    private let clock = ManualClock()

    /// A store that answers in time costs no alarm of its own.
    @Test func oneAlarmServesAllWhoWait() async {
        let patience = StorePatience(clock: clock)
        for number in 0..<100 {
            let value = await patience.value(within: .milliseconds(50), cancelling: true) { number }
            #expect(value == number)
        }
        _ = await patience.value(within: .seconds(60), cancelling: true) { 0 }
        await clock.waitForSleepers(1)
        #expect(clock.requestedDelays == [.milliseconds(50)])
        for _ in 0..<2 { _ = await patience.value(within: .milliseconds(10), cancelling: true) { 0 } }
        await clock.waitForSleepers(2)
        #expect(clock.requestedDelays == [.milliseconds(50), .milliseconds(10)])
    }

    @Test(arguments: [false, true])
    func whatIsLateGoesOnOrIsCancelled(isCancelled: Bool) async {
        let patience = StorePatience(clock: clock)
        let (gate, cancelled, ended) = (Gate(), Gate(), Gate())
        cancelled.open()
        ended.open()
        let call = Task {
            await patience.value(within: .milliseconds(50), cancelling: isCancelled) { () -> Int in
                await gate.pass()
                if Task.isCancelled { await cancelled.pass() }
                await ended.pass()
                return 1
            }
        }
        await gate.waitForArrivals(1)
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(50))
        #expect(await call.value == nil)
        gate.open()
        await ended.waitForArrivals(1)
        #expect(cancelled.arrivals == (isCancelled ? 1 : 0))
    }

    @Test func aCallerThatIsCancelledStopsWaiting() async {
        let patience = StorePatience(clock: clock)
        let gate = Gate()
        let call = Task {
            await patience.value(within: .seconds(60), cancelling: true, untilCancelled: true) { () -> Int in
                await gate.pass()
                return 1
            }
        }
        await gate.waitForArrivals(1)
        call.cancel()
        #expect(await call.value == nil)
        gate.open()
    }
}
