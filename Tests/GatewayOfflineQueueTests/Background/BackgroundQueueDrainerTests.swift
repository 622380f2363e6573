import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// A cycle sends what it can, and ends in an orderly way when its time is up.
@Suite(.timeLimit(.minutes(5)), .tags(.concurrent)) struct BackgroundQueueDrainerTests {
    @Test func aDrainSendsAllAndReturns() async throws {
        let fixture = try await EngineFixture { request, _ in
            request.body.bytes == Array("bad".utf8) ? .status(422) : .status(200)
        }
        for text in ["1", "bad", "2"] { _ = try await fixture.queue.enqueue(sample(text)) }
        let report = await fixture.queue.drain(until: .after(.seconds(10), clock: fixture.clock))
        #expect(report.attempts == 3 && report.done == 2 && report.poison == 1)
        #expect(report.remaining == 0 && !report.isExpired && report.hold == nil)
        // It was started for this time only.
        _ = try await fixture.queue.enqueue(sample("3"))
        for _ in 0..<1_000 { await Task.yield() }
        #expect(fixture.transport.requests.count == 3)
    }

    @Test func aDrainWaitsForEntriesThatAreDueInTime() async throws {
        let fixture = try await EngineFixture { _, index in index < 2 ? .status(503) : .status(200) }
        _ = try await fixture.queue.enqueue(sample())
        let done = Flag(false)
        let (queue, clock) = (fixture.queue, fixture.clock)
        let drain = Task {
            defer { done.set() }
            return await queue.drain(until: .after(.seconds(80_000), clock: clock))
        }
        #expect(await fixture.advance { done.isSet })
        #expect(await drain.value.done == 1)
    }

    @Test func aDrainWithoutANetworkReturnsAtOnce() async throws {
        let fixture = try await EngineFixture(isOnline: false)
        _ = try await fixture.queue.enqueue(sample())
        let report = await fixture.queue.drain(until: .after(.seconds(3_600), clock: fixture.clock))
        #expect(report.attempts == 0 && report.remaining == 1 && report.hold == .offline)
    }

    /// queue.drain-expires-cleanly
    @Test func whenTheTimeIsUpAttemptsAreGivenUpAndNothingIsLost() async throws {
        let isSending = Flag(false)
        let fixture = try await EngineFixture({ $0.concurrency = 2 }) { _, index in
            if index == 1 {
                isSending.set()
                // It ends when it notices that it was given up.
                try? await Task.sleep(for: .seconds(3_600))
            }
            return .status(200)
        }
        for number in 0..<4 {
            _ = try await fixture.queue.enqueue(sample("\(number)") { $0.orderingKey = "k" })
        }
        let (queue, clock) = (fixture.queue, fixture.clock)
        let drain = Task { await queue.drain(until: .after(.seconds(10), clock: clock)) }
        #expect(await isEventually { isSending.isSet })
        fixture.clock.advance(by: .seconds(10))
        let report = await drain.value
        #expect(report.isExpired && report.done == 1 && report.released == 1 && report.remaining == 3)
        #expect(try await queue.counts() == [.done: 1, .waiting: 3])
        // The next one goes on, with the same key for the entry that was given up.
        let next = await queue.drain(until: .after(.seconds(10), clock: clock))
        #expect(next.done == 3 && next.remaining == 0)
        let keys = fixture.transport.requests.map { $0.fields[.idempotencyKey] }
        #expect(keys.count == 5 && keys[1] == keys[2] && Set(keys).count == 4)
    }

    private final class CountedSchedule: QueueDrainSchedule {
        let count = Locked(0)
        func schedule(after delay: Duration, _ work: @escaping @Sendable () async -> Void) {
            count.withLock { $0 += 1 }
        }
        func cancel() {}
    }

    /// Neither does the cycle that is in progress schedule another one.
    @Test(arguments: [true, false]) func aDrainerThatEndsSchedulesNothing(byDeadline: Bool) async throws {
        let gate = Gate()
        let fixture = try await EngineFixture { _, _ in
            await gate.pass()
            return .status(200)
        }
        let schedule = CountedSchedule()
        let drainer = try BackgroundQueueDrainer(schedule: schedule, clock: fixture.clock)
        await drainer.register("orders", fixture.queue)
        _ = try await fixture.queue.enqueue(sample())
        let cycle = Task { await drainer.runDrainCycle() }
        await gate.waitForArrivals(1)
        let end = Task {
            if byDeadline {
                await drainer.end(until: .after(.seconds(1_000), clock: fixture.clock))
            } else {
                await drainer.cancel()
            }
        }
        if byDeadline {
            // It waits for the cycle.
            let clock = fixture.clock
            #expect(await isEventually { clock.requestedDelays.contains(.seconds(1_000)) })
        } else {
            await end.value
        }
        gate.open()
        _ = await cycle.value
        await end.value
        #expect(schedule.count.withLock { $0 } == 0)
    }

    @Test func cyclesAreScheduledAndOneRunsAtATime() async throws {
        let gate = Gate()
        let fixture = try await EngineFixture { _, _ in
            await gate.pass()
            return .status(200)
        }
        let drainer = try BackgroundQueueDrainer(
            schedule: TimerDrainSchedule(clock: fixture.clock), interval: .seconds(900), clock: fixture.clock)
        await drainer.register("orders", fixture.queue)
        _ = try await fixture.queue.enqueue(sample())
        await drainer.scheduleNextDrain()
        await fixture.clock.waitForSleepers(1)
        #expect(fixture.clock.requestedDelays.contains(.seconds(900)))
        fixture.clock.advance(by: .seconds(900))
        await gate.waitForArrivals(1)
        // Two who ask now get the report of the same cycle.
        let reports = (0..<2).map { _ in Task { await drainer.runDrainCycle() } }
        #expect(await isEventually { await drainer.joined == 2 })
        gate.open()
        for report in reports { #expect(await report.value["orders"]?.done == 1) }
        #expect(fixture.transport.requests.count == 1)
        // The next one is scheduled.
        _ = try await fixture.queue.enqueue(sample("2"))
        fixture.clock.advance(by: .seconds(900))
        #expect(await fixture.advance { fixture.transport.requests.count == 2 })
        await drainer.cancel()
    }

    /// A drain ends for itself alone.
    @Test func aQueueThatIsStartedDuringADrainGoesOn() async throws {
        let gate = Gate()
        let fixture = try await EngineFixture { _, index in
            if index == 0 { await gate.pass() }
            return .status(200)
        }
        _ = try await fixture.queue.enqueue(sample("1"))
        let (queue, clock) = (fixture.queue, fixture.clock)
        let drains = (0..<2).map { _ in
            Task { await queue.drain(until: .after(.seconds(10), clock: clock)) }
        }
        await gate.waitForArrivals(1)
        await queue.start()
        gate.open()
        for drain in drains { #expect(await drain.value.remaining == 0) }
        #expect(try await queue.enqueue(sample("2")).outcome().isDone)
        await queue.stop(within: .zero)
    }

    /// A stop returns if the queue is started again before it has ended.
    @Test func aStopThatIsOvertakenByAStartReturns() async throws {
        let gate = Gate()
        let fixture = try await EngineFixture { _, _ in
            await gate.pass()
            return .status(200)
        }
        await fixture.queue.start()
        let ticket = try await fixture.queue.enqueue(sample())
        await gate.waitForArrivals(1)
        let queue = fixture.queue
        let stop = Task { await queue.stop(within: .seconds(3_600)) }
        while await queue.drain.status.hold != .stopped { await Task.yield() }
        await queue.start()
        await stop.value
        gate.open()
        #expect(try await ticket.outcome().isDone)
        await queue.stop(within: .zero)
    }

    @Test func impossibleValuesAreRefused() {
        let interval = #expect(throws: QueueError.self) {
            _ = try BackgroundQueueDrainer(interval: .milliseconds(1))
        }
        #expect(interval?.property == "interval")
        let limit = #expect(throws: QueueError.self) { _ = try BackgroundQueueDrainer(cycleLimit: .zero) }
        #expect(limit?.property == "cycleLimit")
    }
}
