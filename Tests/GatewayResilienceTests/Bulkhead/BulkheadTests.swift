import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayResilience

/// A bulkhead alone.
@Suite(.timeLimit(.minutes(5)), .tags(.concurrent)) struct BulkheadTests {
    /// What happened, in order.
    private final class Log<Value: Sendable>: Sendable {
        private let log = Locked<[Value]>([])
        var values: [Value] { log.withLock { $0 } }
        func append(_ value: Value) { log.withLock { $0.append(value) } }
    }

    /// Counts operations in progress.
    private final class Counter: Sendable {
        private let counts = Locked((inUse: 0, most: 0, served: 0))
        var most: Int { counts.withLock { $0.most } }
        var served: Int { counts.withLock { $0.served } }

        func begin() {
            counts.withLock { counts in
                counts.inUse += 1
                counts.most = max(counts.most, counts.inUse)
            }
        }

        func end() {
            counts.withLock { counts in
                counts.inUse -= 1
                counts.served += 1
            }
        }
    }

    private let clock = ManualClock()

    private func bulkhead(_ permits: Int = 1, _ change: (inout BulkheadPolicy) -> Void = { _ in }) throws
        -> Bulkhead
    {
        var policy = BulkheadPolicy(perOrigin: .fixed(permits), inAll: permits)
        change(&policy)
        return try Bulkhead(policy: policy, clock: clock)
    }

    /// Takes a permit and keeps it until the gate opens.
    private func hold(_ bulkhead: Bulkhead, _ gate: Gate) async -> Task<Void, any Error> {
        let before = gate.arrivals
        let task = Task { try await bulkhead.execute { await gate.pass() } }
        await gate.waitForArrivals(before + 1)
        return task
    }

    private func waiting(_ bulkhead: Bulkhead, _ count: Int) async {
        await eventually { bulkhead.statistics.all.waitingCount == count }
    }

    @Test func operationsWaitForAPermitByPriority() async throws {
        let (bulkhead, gate) = (try bulkhead(), Gate())
        let order = Log<CallPriority>()
        let holder = await hold(bulkhead, gate)
        var tasks: [Task<Void, any Error>] = []
        for (count, priority) in [CallPriority.low, .critical, .normal, .high].enumerated() {
            tasks.append(
                Task {
                    try await bulkhead.execute(priority: priority) { order.append(priority) }
                })
            await waiting(bulkhead, count + 1)
        }
        let counts = bulkhead.statistics.all
        #expect(counts.inUse == 1 && counts.limit == 1)
        #expect(counts.waiting == [.low: 1, .normal: 1, .high: 1, .critical: 1])
        gate.open()
        try await holder.value
        for task in tasks { try await task.value }
        #expect(order.values == [.critical, .high, .normal, .low])
        #expect(bulkhead.statistics.all.inUse == 0 && bulkhead.statistics.all.holdTime == nil)
        #expect("\(bulkhead)" == "Bulkhead(0 of 1 in use, 0 waiting)")
    }

    /// One low call, then one normal call after each second: after 2 s the low one counts as high.
    @Test func aCallThatWaitsRanksHigher() async throws {
        let (bulkhead, gate) = (try bulkhead { $0.ageing = .seconds(2) }, Gate())
        let order = Log<Int>()
        let holder = await hold(bulkhead, gate)
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<5 {
            tasks.append(
                Task {
                    try await bulkhead.execute(priority: number == 0 ? .low : .normal) {
                        order.append(number)
                    }
                })
            await waiting(bulkhead, number + 1)
            clock.advance(by: .seconds(1))
        }
        gate.open()
        try await holder.value
        for task in tasks { try await task.value }
        // After 5 s: the first is high since 4 s, 1 and 2 are high since 3 s and 4 s; 3 and 4 are normal.
        #expect(order.values == [1, 0, 2, 3, 4])
    }

    @Test func theNewestIsFirstByOption() async throws {
        let (bulkhead, gate) = (try bulkhead { $0.newestFirst = true }, Gate())
        let order = Log<Int>()
        let holder = await hold(bulkhead, gate)
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<3 {
            tasks.append(Task { try await bulkhead.execute { order.append(number) } })
            await waiting(bulkhead, number + 1)
        }
        gate.open()
        try await holder.value
        for task in tasks { try await task.value }
        #expect(order.values == [2, 1, 0])
    }

    // MARK: Turning away

    @Test func moreThanMayWaitAreTurnedAway() async throws {
        let (bulkhead, gate) = (try bulkhead { $0.waitingPerOrigin = 1 }, Gate())
        let holder = await hold(bulkhead, gate)
        let low = Task { try await bulkhead.execute(priority: .low) {} }
        await waiting(bulkhead, 1)
        let refused = await #expect(throws: NetworkError.self) {
            try await bulkhead.execute(priority: .low) {}
        }
        #expect(refused?.code == .overloaded && refused?.isLocalRejection == true && refused?.attempts == 0)
        #expect(
            refused?.message
                == "Too many calls wait (bulkhead.waitingPerOrigin): 1 of 1 permits are in use (bulkhead.inAll), waiting: 1. Send fewer calls at a time, or raise a limit."
        )
        // A call of a higher priority takes the place.
        let high = Task { try await bulkhead.execute(priority: .high) {} }
        let displaced = await #expect(throws: NetworkError.self) { try await low.value }
        #expect(displaced?.code == .overloaded)
        #expect(displaced?.message.hasPrefix("A call of a higher priority took its place") == true)
        gate.open()
        try await holder.value
        try await high.value
    }

    @Test func aDeadlineEndsTheWait() async throws {
        let (bulkhead, gate) = (try bulkhead(), Gate())
        let holder = await hold(bulkhead, gate)
        let call = Task { try await bulkhead.execute(until: .after(.seconds(3), clock: clock)) {} }
        await waiting(bulkhead, 1)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(3))
        let error = await #expect(throws: NetworkError.self) { try await call.value }
        #expect(error?.code == .timeout && error?.limit == .call && error?.phase == .queue)
        #expect(error?.mayHaveBeenSent == false && bulkhead.statistics.all.waitingCount == 0)
        // One that has passed before.
        let late = await #expect(throws: NetworkError.self) {
            try await bulkhead.execute(until: .after(.zero, clock: clock)) {}
        }
        #expect(late?.code == .timeout)
        gate.open()
        try await holder.value
    }

    @Test func theLimitOfTheWaitIsALocalRejection() async throws {
        let (bulkhead, gate) = (try bulkhead { $0.longestWait = .seconds(2) }, Gate())
        let holder = await hold(bulkhead, gate)
        let call = Task { try await bulkhead.execute(until: .after(.seconds(3), clock: clock)) {} }
        await waiting(bulkhead, 1)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        let error = await #expect(throws: NetworkError.self) { try await call.value }
        #expect(error?.code == .overloaded && error?.isLocalRejection == true)
        #expect(error?.limit == .queue)
        #expect(error?.message.contains("the limit of the wait (limits.queue) of 2 s") == true)
        gate.open()
        try await holder.value
    }

    /// Calls take 1 s. One that has 0.5 s left and would wait longer is turned away when it comes, and one that waits when
    /// others of higher priority come before it.
    @Test func whoCannotBeServedInTimeIsTurnedAwayAtOnce() async throws {
        let bulkhead = try bulkhead()
        _ = try await bulkhead.execute { clock.advance(by: .seconds(1)) }
        #expect(bulkhead.statistics.origins.isEmpty)
        let gate = Gate()
        let holder = await hold(bulkhead, gate)
        let error = await #expect(throws: NetworkError.self) {
            try await bulkhead.execute(until: .after(.milliseconds(500), clock: clock)) {}
        }
        #expect(
            error?.code == .overloaded && error?.message.hasPrefix("The call would wait about 1 s") == true)
        let low = Task {
            try await bulkhead.execute(priority: .low, until: .after(.milliseconds(1_500), clock: clock)) {}
        }
        await waiting(bulkhead, 1)
        let high = Task { try await bulkhead.execute(priority: .high) {} }
        let hopeless = await #expect(throws: NetworkError.self) { try await low.value }
        #expect(hopeless?.code == .overloaded && hopeless?.message.contains("about 2 s") == true)
        gate.open()
        try await holder.value
        try await high.value
    }

    @Test func withoutSheddingItWaitsUntilItsDeadline() async throws {
        let bulkhead = try bulkhead { $0.shedsHopeless = false }
        _ = try await bulkhead.execute { clock.advance(by: .seconds(1)) }
        let gate = Gate()
        let holder = await hold(bulkhead, gate)
        let call = Task {
            try await bulkhead.execute(until: .after(.milliseconds(500), clock: clock)) { true }
        }
        await waiting(bulkhead, 1)
        gate.open()
        try await holder.value
        #expect(try await call.value)
    }

    // MARK: Permits

    @Test func aCancelledWaiterTakesNoPermit() async throws {
        let (bulkhead, gate) = (try bulkhead(), Gate())
        let holder = await hold(bulkhead, gate)
        let call = Task { try await bulkhead.execute {} }
        await waiting(bulkhead, 1)
        call.cancel()
        let error = await #expect(throws: NetworkError.self) { try await call.value }
        #expect(error?.code == .cancelled && bulkhead.statistics.all.waitingCount == 0)
        gate.open()
        try await holder.value
        #expect(bulkhead.statistics.all.inUse == 0)
        struct Broken: Error {}
        await #expect(throws: Broken.self) { try await bulkhead.execute { throw Broken() } }
        #expect(bulkhead.statistics.all.inUse == 0)
    }

    /// 1,000 waiters on 64 permits, of which some are cancelled and some have a deadline.
    @Test func noPermitIsLost() async throws {
        let random = SeededRandomSource(seed: TestSeed.value(7))
        for round in 0..<SoakScale.rounds(10) {
            let bulkhead = try bulkhead(64) {
                $0.waitingPerOrigin = 900
                $0.waitingInAll = 900
                $0.newestFirst = round % 2 == 1
                $0.ageing = .milliseconds(20)
            }
            let counter = Counter()
            let gate = Gate()
            let tasks = (0..<1_000).map { number in
                let priority = CallPriority.all[random.int(in: 0..<4)]
                let limit = random.int(in: 0..<4) == 0 ? Duration.milliseconds(random.int(in: 1..<100)) : nil
                return Task {
                    try await bulkhead.execute(
                        priority: priority, until: limit.map { .after($0, clock: clock) }
                    ) {
                        counter.begin()
                        if number < 64 { await gate.pass() } else { await Task.yield() }
                        counter.end()
                    }
                }
            }
            for task in tasks where random.int(in: 0..<4) == 0 {
                task.cancel()
                if random.int(in: 0..<50) == 0 { clock.advance(by: .milliseconds(1)) }
            }
            gate.open()
            for task in tasks { _ = await task.result }
            let all = bulkhead.statistics.all
            #expect(all.inUse == 0 && all.waitingCount == 0)
            #expect(counter.most <= 64 && counter.served > 100)
            let context = RequestContext()
            let request = try HTTPRequest(.get, "http://h/x")
            for _ in 0..<64 { #expect(try bulkhead.enterNow(request, context: context) != nil) }
            #expect(try bulkhead.enterNow(request, context: context) == nil)
        }
    }

    /// The unused are forgotten, so that the number of hosts ever called does not matter.
    @Test func manyOriginsAreForgotten() throws {
        var machine = BulkheadStateMachine<Int>(policy: BulkheadPolicy(perOrigin: .fixed(2), inAll: 2))
        for number in 0..<2_000 {
            let place = try #require(machine.enterNow(try Origin("http://h\(number)")))
            machine.leave(place, after: 1, at: .now)
        }
        #expect(machine.originCount <= 257)
        let busy = [machine.enterNow(nil), machine.enterNow(nil)]
        #expect(busy.allSatisfy { $0 != nil })
        for number in 0..<2_000 {
            let entry = machine.enter(
                number, to: try Origin("http://i\(number)"), priority: .normal, until: .now - .seconds(1),
                at: .now)
            guard case .rejected = entry else {
                Issue.record("\(entry)")
                return
            }
        }
        #expect(machine.originCount <= 259)
    }
}
