import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayResilience

@Suite(.tags(.concurrent)) struct BatchTests {
    private struct Failure: Error {}

    /// Counts operations in progress.
    private final class Meter: Sendable {
        private let state = Locked((running: 0, most: 0, started: 0))
        var most: Int { state.withLock { $0.most } }
        var started: Int { state.withLock { $0.started } }
        func enter() {
            state.withLock { state in
                state.running += 1
                state.started += 1
                state.most = max(state.most, state.running)
            }
        }
        func leave() { state.withLock { $0.running -= 1 } }
    }

    private func code(_ result: Result<Int, any Error>) -> NetworkError.Code? {
        if case .failure(let error) = result { (error as? NetworkError)?.code } else { nil }
    }

    @Test(arguments: [(1, 0), (1, 5), (3, 1), (4, 100), (100, 7), (0, 3), (-1, 3)])
    func eachItemGetsItsOwnResult(concurrency: Int, count: Int) async {
        let results = await Batch(concurrency: concurrency).results(for: 0..<count) { item in
            for _ in 0..<(item * 7 % 5) { await Task.yield() }
            if item % 3 == 2 { throw Failure() }
            return item * 10
        }
        #expect(results.count == count)
        for (item, result) in results.enumerated() {
            if item % 3 == 2 {
                #expect(throws: Failure.self) { try result.get() }
            } else {
                #expect((try? result.get()) == item * 10)
            }
        }
    }

    @Test(arguments: [Batch.Order.items, .completion])
    func manyItemsNeedBoundedMemory(order: Batch.Order) async {
        let (meter, count) = (Meter(), 10_000)
        var (seen, most, delivered) = (Set<Int>(), 0, 0)
        await Batch(concurrency: 8).run(0..<count, order: order) { item in
            meter.enter()
            if item.isMultiple(of: 5) { await Task.yield() }
            meter.leave()
            return item
        } receive: { index, result in
            #expect((try? result.get()) == index)
            if order == .items { #expect(index == delivered) }
            seen.insert(index)
            // Started and not delivered: what is in memory.
            most = max(most, meter.started - delivered)
            delivered += 1
        }
        #expect(seen.count == count && delivered == count)
        #expect(meter.most <= 8)
        #expect(most <= 16)
    }

    @Test func theConcurrencyIsUsedAndNotExceeded() async {
        let (gate, meter) = (Gate(), Meter())
        let task = Task {
            await Batch(concurrency: 5).results(for: 0..<20) { item in
                meter.enter()
                await gate.pass()
                meter.leave()
                return item
            }
        }
        await gate.waitForArrivals(5)
        #expect(meter.started == 5)
        gate.open()
        #expect(await task.value.count == 20)
        #expect(meter.most == 5)
    }

    @Test func resultsOfCompletionDoNotWaitForOthers() async {
        let first = Gate()
        var order: [Int] = []
        await Batch(concurrency: 2).run(0..<5, order: .completion) { item in
            if item == 0 { await first.pass() }
            return item
        } receive: { index, _ in
            order.append(index)
            if index == 4 { first.open() }
        }
        #expect(order == [1, 2, 3, 4, 0])
    }

    @Test func aSlowItemHoldsBackOnlyAWindowOfTheOthers() async {
        let (first, meter) = (Gate(), Meter())
        let task = Task {
            await Batch(concurrency: 4).results(for: 0..<100) { item in
                meter.enter()
                if item == 0 { await first.pass() }
                return item
            }
        }
        #expect(await isEventually { meter.started == 8 })
        for _ in 0..<100 { await Task.yield() }
        #expect(meter.started == 8)
        first.open()
        #expect(await task.value.count == 100)
    }

    @Test func theDeadlineEndsAllAndEachHasAResult() async {
        let clock = ManualClock()
        let started = Gate()
        let batch = Batch(concurrency: 3, deadline: .after(.seconds(5), clock: clock), clock: clock)
        let task = Task {
            await batch.results(for: 0..<10) { item -> Int in
                if item == 0 { return 0 }
                started.open()
                #expect(Deadline.ambient == batch.deadline)
                try await clock.sleep(until: clock.now + .seconds(60))
                return item
            }
        }
        await started.pass()
        await clock.waitForSleepers(4)
        clock.advance(by: .seconds(5))
        let results = await task.value
        #expect((try? results[0].get()) == 0)
        #expect(results.dropFirst().allSatisfy { code($0) == .timeout })
        #expect(results.count == 10)
    }

    @Test func aDeadlineThatHasPassedStartsNothing() async {
        let clock = ManualClock()
        let batch = Batch(deadline: .after(.zero, clock: clock), clock: clock)
        let results = await batch.results(for: 0..<3) { item -> Int in
            Issue.record("an operation started")
            return item
        }
        #expect(results.map(code) == [.timeout, .timeout, .timeout])
    }

    @Test func theDeadlineOfTheTaskCounts() async {
        let clock = ManualClock()
        let results = await withDeadline(.after(.zero, clock: clock)) {
            await Batch(clock: clock).results(for: 0..<3) { item -> Int in
                Issue.record("an operation started")
                return item
            }
        }
        #expect(results.map(code) == [.timeout, .timeout, .timeout])
    }

    @Test func theFirstReasonCounts() {
        var state = BatchState<Int>(concurrency: 1, isOrdered: true, count: 3)
        guard case .start(0) = state.next() else {
            Issue.record("nothing started")
            return
        }
        state.stop(.timeout)
        state.stop(.cancelled)
        // An operation has errors of its own also after the deadline.
        state.ended(0, .failure(Failure()))
        var results: [Result<Int, any Error>] = []
        while case .deliver(_, let result) = state.next() { results.append(result) }
        #expect(throws: Failure.self) { try results.first?.get() }
        #expect(results.dropFirst().map(code) == [.timeout, .timeout] && state.isDone)
    }

    @Test func aCancelledTaskEndsWithAResultForEach() async {
        let (gate, meter) = (Gate(), Meter())
        let task = Task {
            await Batch(concurrency: 2).results(for: 0..<50) { item -> Int in
                meter.enter()
                await gate.pass()
                return item
            }
        }
        await gate.waitForArrivals(2)
        task.cancel()
        gate.open()
        let results = await task.value
        #expect(results.count == 50 && meter.started == 2)
        #expect(results.dropFirst(2).allSatisfy { code($0) == .cancelled })
    }

    @Test func anErrorOfTheReceiverEndsTheBatch() async {
        let meter = Meter()
        await #expect(throws: Failure.self) {
            try await Batch(concurrency: 2).run(0..<1_000, order: .items) { item in
                meter.enter()
                return item
            } receive: { index, _ throws(Failure) in
                if index == 3 { throw Failure() }
            }
        }
        #expect(meter.started < 10)
    }
}
