import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// A server that processes 16 requests at once should get no less than 12 and no more than 24. The simulated time after a limit
/// has settled is ten times as long in the soak.
@Suite struct AdaptiveLimitTests {
    private static let goal = 12...24

    private func holds(_ simulation: LimitSimulation, _ goal: ClosedRange<Int> = goal) -> Bool {
        simulation.limits.allSatisfy(goal.contains)
    }

    private func settled(
        _ range: ClosedRange<Int> = 4...256, seed: UInt64, works: [(LimitSimulation.Work, Double)] = [],
        within seconds: Int = 20
    ) -> LimitSimulation {
        var simulation = LimitSimulation(range, seed: seed)
        if !works.isEmpty { simulation.works = works.map { (work: $0.0, share: $0.1) } }
        simulation.run(seconds: seconds)
        #expect(Self.goal.contains(simulation.machine.limit), "\(simulation.machine.limit)")
        return simulation
    }

    // MARK: limit.settles

    @Test(arguments: [0, 0.1, 0.3, 0.5], [50_000, 400_000])
    func settlesNearTheServersCapacity(spread: Double, service: Int) {
        // 200 times the latency where that is longer than 20 s.
        var simulation = settled(
            seed: TestSeed.value(1), works: [(.init(service: service, spread: spread), 1)],
            within: max(20, service * 200 / 1_000_000))
        let seconds = SoakScale.rounds(60)
        simulation.run(seconds: seconds)
        #expect(holds(simulation))
        // The server is used.
        #expect(simulation.responses > seconds * 16 * 1_000_000 / service * 9 / 10)
    }

    /// The latencies of calls with exponential service times say little, one by one. One run is no measure: it may be outside for
    /// a tenth of its time, at a mean of a hundredth.
    @Test func noiseMovesTheLimitLittle() {
        var limits: [Int] = []
        for seed in 0..<8 as Range<UInt64> {
            var simulation = LimitSimulation(4...256, seed: TestSeed.value(seed))
            simulation.works[0].work.spread = nil
            simulation.run(seconds: 20)
            simulation.run(seconds: max(60, SoakScale.rounds(60)))
            limits += simulation.limits
        }
        #expect(limits.max() ?? 0 <= 30)
        let outside = limits.count { !Self.goal.contains($0) }
        #expect(outside * 20 < limits.count, "\(outside) of \(limits.count)")
    }

    /// A few callers more than the server can process.
    @Test(arguments: [18, 20, 32])
    func modestOverloadDoesNotRaiseTheLimitWithoutEnd(callers: Int) {
        var simulation = LimitSimulation(4...256, seed: TestSeed.value(1))
        simulation.callers = callers
        simulation.run(seconds: 20)
        simulation.run(seconds: SoakScale.rounds(60))
        // Below its half the limit has no effect.
        #expect(simulation.limits.max() ?? 0 <= max(24, 2 * callers))
        simulation.callers = 200
        simulation.run(seconds: 20)
        simulation.run(seconds: SoakScale.rounds(6))
        #expect(holds(simulation))
    }

    // MARK: limit.recovers

    @Test(arguments: [150_000, 100_000, 60_000, 40_000, 15_000])
    func aLastingChangeOfLatencyBecomesNormal(service: Int) {
        var simulation = settled(seed: TestSeed.value(3))
        simulation.works[0].work.service = service
        simulation.run(seconds: 60)
        simulation.run(seconds: SoakScale.rounds(30))
        #expect(holds(simulation, 11...26))
        #expect(Self.goal.contains(simulation.machine.limit))
    }

    /// A server that has become much faster does not get a limit for its earlier latency.
    @Test func aFasterServerIsNoticedBeforeTheLimitIsTooHigh() {
        var simulation = settled(seed: TestSeed.value(3))
        simulation.works[0].work.service = 5_000
        simulation.run(seconds: 20)
        #expect(simulation.limits.max() ?? 0 <= 50)
    }

    @Test func theLimitFollowsTheServersCapacity() {
        var simulation = settled(seed: TestSeed.value(4))
        simulation.slots = 64
        simulation.run(seconds: 60)
        simulation.run(seconds: SoakScale.rounds(6))
        #expect(holds(simulation, 48...96))
        simulation.slots = 8
        simulation.run(seconds: 30)
        simulation.run(seconds: SoakScale.rounds(6))
        #expect(holds(simulation, 5...14))
    }

    // MARK: limit.timeouts-cut

    @Test func steadyTimeoutsLowerTheLimitToItsFloor() {
        var simulation = settled(8...256, seed: TestSeed.value(5))
        let before = simulation.works
        simulation.works[0].work.service = 30_000_000
        simulation.timeout = 1_000_000
        simulation.run(seconds: 20)
        simulation.run(seconds: 60)
        #expect(holds(simulation, 8...8))
        // The averages are as before: the limit is, too, once the server has recovered.
        (simulation.works, simulation.timeout) = (before, nil)
        simulation.run(seconds: 90)
        simulation.run(seconds: 60)
        #expect(holds(simulation))
    }

    /// All of them at the same time: there is no difference between two averages.
    @Test func timeoutsWithoutAnyResponseLowerTheLimit() {
        var machine = AdaptiveLimitStateMachine(range: 32...256)
        let start = ContinuousClock.now
        for _ in 0..<200 {
            machine.record(latency: .milliseconds(10), operation: "a", inFlight: 32, at: start)
        }
        #expect(machine.limit == 48)
        var now = start
        for _ in 0..<2 {
            now += .seconds(5)
            for left in 0..<48 { machine.dropped(after: .seconds(5), inFlight: 48 - left, at: now) }
        }
        #expect(machine.limit == 32)
    }

    @Test func thereIsOneCutPerRoundTrip() {
        var machine = AdaptiveLimitStateMachine(range: 4...100)
        let start = ContinuousClock.now
        for second in 1...8 {
            let now = start + .seconds(second)
            for _ in 0..<400 {
                machine.record(latency: .milliseconds(1), operation: "a", inFlight: 100, at: now)
            }
        }
        let first = machine.limit
        #expect(first > 16)
        let now = start + .seconds(20)
        machine.dropped(after: .seconds(2), inFlight: first, at: now)
        let second = machine.limit
        #expect(second == first * 3 / 4)
        // They were sent before the cut.
        for call in 0..<50 {
            machine.dropped(
                after: .seconds(2), inFlight: first, at: now + .milliseconds(call))
        }
        #expect(machine.limit == second)
        machine.dropped(after: .seconds(2), inFlight: first, at: now + .seconds(2))
        #expect(machine.limit == second * 3 / 4)
    }

    @Test func rejectionsLowerTheLimitAndFewOnesDoNotEndIt() {
        // The bounds are those of this seed: with others the limit is 5 for a moment.
        var simulation = settled(seed: 6)
        simulation.rejected = 0.5
        simulation.run(seconds: 10)
        simulation.run(seconds: 10)
        #expect(holds(simulation, 4...6))
        simulation.rejected = 0.001
        simulation.run(seconds: 20)
        simulation.run(seconds: SoakScale.rounds(60))
        #expect(holds(simulation, 6...24))
    }

    /// After the first cut, a limit grows by one and not by half.
    @Test func aDropEndsTheFastStart() {
        var machine = AdaptiveLimitStateMachine(range: 4...100)
        let start = ContinuousClock.now
        func respond(_ count: Int, second: Int) {
            for _ in 0..<count {
                machine.record(
                    latency: .milliseconds(1), operation: "a", inFlight: machine.limit,
                    at: start + .seconds(second))
            }
        }
        for second in 1...4 { respond(60, second: second) }
        let grown = machine.limit
        #expect(grown >= 13)
        machine.dropped(after: .milliseconds(1), inFlight: grown, at: start + .seconds(5))
        let cut = machine.limit
        #expect(cut == grown * 3 / 4)
        respond(49, second: 6)
        #expect(machine.limit == cut)
        respond(1, second: 6)
        #expect(machine.limit == cut + 1)
    }

    /// A limit that is far from what is in flight is cut to where it has an effect.
    @Test func aCutHasAnEffect() {
        let start = ContinuousClock.now
        var machine = AdaptiveLimitStateMachine(range: 100...1000)
        machine.dropped(after: .seconds(1), inFlight: 3, at: start)
        #expect(machine.limit == 100)
        for call in 0..<50_000 {
            machine.record(
                latency: .milliseconds(1), operation: "a", inFlight: machine.limit,
                at: start + .milliseconds(call))
        }
        let limit = machine.limit
        #expect(limit > 200)
        machine.dropped(after: .seconds(1), inFlight: 80, at: start + .seconds(60))
        #expect(machine.limit == 120)
    }

    // MARK: limit.app-limited

    @Test func oneCallPerSecondDoesNotRaiseIt() {
        var simulation = LimitSimulation(4...256, seed: TestSeed.value(7))
        simulation.callers = 1
        simulation.pause = 950_000
        simulation.run(seconds: 3_600)
        #expect(simulation.responses > 3_000)
        #expect(holds(simulation, 4...4))
    }

    @Test func nothingGrowsThatIsNotUsed() {
        let random = SeededRandomSource(seed: TestSeed.value(8))
        var machine = AdaptiveLimitStateMachine(range: 4...256)
        var now = ContinuousClock.now
        var grown = 0
        for _ in 0..<200_000 {
            let before = machine.limit
            // Long stretches of few calls, and of many.
            let inFlight =
                random.int(in: 0..<3) == 0 ? random.int(in: 1..<before + 1) : random.int(in: 1..<4)
            now += .microseconds(random.int(in: 1..<500))
            machine.record(
                latency: .milliseconds(random.int(in: 8..<12)), operation: "a", inFlight: inFlight, at: now)
            if machine.limit > before {
                grown += 1
                #expect(inFlight * 2 >= before, "\(before) to \(machine.limit) with \(inFlight) in flight")
            }
        }
        #expect(grown > 5)
    }

    // MARK: limit.by-operation

    /// Nine cheap calls for each dear one, then the other way round. How far the limit moves with one average depends on the
    /// seed.
    private func mixed(_ cheap: String, _ dear: String) -> LimitSimulation {
        var simulation = LimitSimulation(4...256, seed: 9)
        simulation.works = [
            (work: .init(operation: cheap, service: 5_000), share: 9),
            (work: .init(operation: dear, service: 200_000), share: 1),
        ]
        simulation.run(seconds: 20)
        simulation.run(seconds: 60)
        simulation.works[0].share = 1
        simulation.works[1].share = 9
        var limits = simulation.limits
        simulation.run(seconds: 60)
        limits += simulation.limits
        simulation.works[0].share = 9
        simulation.works[1].share = 1
        simulation.run(seconds: 60)
        return simulation
    }

    @Test func aMixOfCheapAndDearOperationsDoesNotMoveIt() {
        let simulation = mixed("cheap", "dear")
        #expect(holds(simulation, 9...28))
        let one = mixed("one", "one")
        #expect(!holds(one, 9...28), "with one average it moves: \(one)")
    }

    /// A class that is first seen while there is a queue gets an average without it.
    @Test func aNewClassIsComparedWithItsLatencyWithoutTheQueue() {
        var machine = AdaptiveLimitStateMachine(range: 4...100)
        let start = ContinuousClock.now
        func respond(_ count: Int, _ operation: String, _ milliseconds: Int, second: Int) {
            for _ in 0..<count {
                machine.record(
                    latency: .milliseconds(milliseconds), operation: operation, inFlight: machine.limit,
                    at: start + .seconds(second))
            }
        }
        for second in 1...4 { respond(60, "a", 100, second: second) }
        let grown = machine.limit
        // The queue makes everything 1.4 times as long: 12 calls of a known class, and the rest of a new one.
        respond(12, "a", 140, second: 10)
        respond(18, "b", 280, second: 10)
        #expect(machine.limit < grown, "it does not take the queue for the latency of the new class")
    }

    @Test func theNumberOfClassesIsBounded() {
        var machine = AdaptiveLimitStateMachine(range: 4...64)
        for call in 0..<10_000 {
            machine.record(
                latency: .milliseconds(5), operation: "operation \(call)", inFlight: 4, at: .now)
        }
        #expect(machine.classes == AdaptiveLimitStateMachine.classCapacity)
        // Those that share an average count, too.
        #expect(machine.limit > 4)
    }

    // MARK: Values

    @Test func rangesAreMadePossible() {
        #expect(AdaptiveLimitStateMachine(range: 1...100).limit == 4)
        #expect(AdaptiveLimitStateMachine(range: 8...100).limit == 8)
        #expect(AdaptiveLimitStateMachine(range: 1...2).limit == 2)
        #expect(AdaptiveLimitStateMachine(range: -5...0).limit == 1)
        #expect(AdaptiveLimitStateMachine(range: Int.min...Int.max).limit == 4)
    }

    @Test func anyNumbersAreSafe() {
        let durations: [Duration] = [
            .zero, .nanoseconds(1), .seconds(-1), .seconds(Int64.max), .seconds(Int64.min), .seconds(1),
        ]
        let start = ContinuousClock.now
        var machine = AdaptiveLimitStateMachine(range: 4...Int.max)
        for round in 0..<500 {
            for duration in durations {
                for inFlight in [Int.min, -1, 0, 1, 5, Int.max] {
                    let now = round % 2 == 0 ? start : start + .seconds(round)
                    machine.record(latency: duration, operation: "a", inFlight: inFlight, at: now)
                    if round % 50 == 0 { machine.dropped(after: duration, inFlight: inFlight, at: now) }
                    #expect(machine.limit >= 4)
                }
            }
        }
    }
}
