import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// Transitions of the state machine that random histories of a few origins do not reach.
@Suite struct RetryBudgetTransitionTests {
    private let a: Origin
    private let b: Origin
    private let start = ContinuousClock.now

    init() throws {
        a = try Origin("https://a.example")
        b = try Origin("https://b.example")
    }

    private func machine(
        share: Double, perSecond: Double, reserve: Int, capacity: Int = 1
    ) -> RetryBudgetStateMachine {
        RetryBudgetStateMachine(
            RetryBudget(share: share, perSecond: perSecond, reserve: reserve), capacity: capacity)
    }

    @Test func theSharedBucketIsRemovedWhenItIsFull() {
        var machine = machine(share: 1, perSecond: 0, reserve: 1)
        #expect(machine.takeRetry(to: a, now: start) == .granted)
        #expect(machine.takeRetry(to: b, now: start) == .granted)
        #expect(machine.count == 2)
        _ = machine.recordRequest(to: b, now: start)
        #expect(machine.count == 1)
        _ = machine.recordRequest(to: a, now: start)
        #expect(machine.isIdle)
    }

    @Test func requestsFillTheSharedBucket() {
        var machine = machine(share: 1, perSecond: 0, reserve: 1)
        #expect(machine.takeRetry(to: a, now: start) == .granted)
        #expect(machine.takeRetry(to: b, now: start) == .granted)
        #expect(machine.takeRetry(to: b, now: start) == .refused(isFirst: true))
        let hasRecovered = machine.recordRequest(to: b, now: start)
        #expect(hasRecovered)
        #expect(machine.takeRetry(to: b, now: start) == .granted)
    }

    @Test func aBucketThatTimeHasFilledMakesRoom() {
        var machine = machine(share: 0, perSecond: 1, reserve: 1)
        #expect(machine.takeRetry(to: a, now: start) == .granted)
        #expect(machine.takeRetry(to: b, now: start + .seconds(1)) == .granted)
        #expect(machine.count == 1)
    }

    @Test func timeThatStepsBackTakesNothing() {
        var machine = machine(share: 0, perSecond: 1, reserve: 2)
        #expect(machine.takeRetry(to: a, now: start + .seconds(10)) == .granted)
        #expect(machine.takeRetry(to: a, now: start) == .granted)
        #expect(machine.takeRetry(to: a, now: start + .seconds(10)) == .refused(isFirst: true))
    }

    @Test(arguments: [1.0, 1_000_000])
    func aLongTimeFillsABucket(perSecond: Double) {
        var machine = machine(share: 0, perSecond: perSecond, reserve: 3)
        for _ in 0..<3 { #expect(machine.takeRetry(to: a, now: start) == .granted) }
        // Two hundred years, and longer than nanoseconds can count.
        for seconds in [6_300_000_000, 20_000_000_000, 60_000_000_000] {
            let later = start + .seconds(seconds)
            for _ in 0..<3 { #expect(machine.takeRetry(to: a, now: later) == .granted) }
            #expect(machine.takeRetry(to: a, now: later) != .granted)
        }
    }
}
