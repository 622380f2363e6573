import GatewayCore
import GatewayTelemetry
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayDashboard

@Suite struct DashboardCollectorTests {
    private let fixture: DashboardFixture

    init() throws { fixture = try DashboardFixture() }

    private func kept(_ id: UInt64) throws -> CallRecord {
        try #require(fixture.collector.copy().calls.listed.last { $0.call.id == id }).call
    }

    @Test func aCallHasItsSteps() throws {
        let clock = fixture.clock
        fixture.record(.started)
        clock.advance(by: .milliseconds(30))
        fixture.record(.credentialWaited(.milliseconds(30)))
        fixture.record(.attemptStarted)
        clock.advance(by: .milliseconds(20))
        fixture.record(.attemptEnded(AttemptEnd(.response(status: 503), duration: .milliseconds(20))))
        fixture.record(.retryScheduled(delay: .milliseconds(100), status: 503, error: nil))
        clock.advance(by: .milliseconds(100))
        let second = AttemptInfo(number: 2, reason: .retry)
        fixture.record(.attemptStarted, attempt: second)
        clock.advance(by: .milliseconds(10))
        fixture.record(
            .attemptEnded(AttemptEnd(.error(.connectionLost, phase: .receive), duration: .milliseconds(10))),
            attempt: second)
        fixture.record(.notRetried(.budget, status: nil, error: .connectionLost), attempt: second)
        fixture.record(
            .failed(FailureCause(.connectionLost, phase: .receive), attempts: 2, duration: .milliseconds(160))
        )
        let call = try kept(1)
        #expect(call.end.attempts == 2 && call.end.nanoseconds == 160_000_000 && call.isFailed)
        #expect(call.end.time - call.begin == 160_000_000 && fixture.collector.open.oldest(10).isEmpty)
        let steps = call.steps.map { step in
            "\(step.kind) \((step.begin - call.begin) / 1_000_000) \((step.nanoseconds ?? 0) / 1_000_000)"
        }
        #expect(
            steps.map { $0.split(separator: "(")[0].split(separator: " ")[0] }
                == ["token", "attempt", "retry", "attempt", "notRetried"])
        #expect(steps[0].hasSuffix(" 0 30") && steps[1].hasSuffix(" 30 20") && steps[2].hasSuffix(" 50 100"))
        #expect(steps[3].hasSuffix(" 150 10"))
    }

    @Test func callsThatShareAnExchangeNameTheirLeader() throws {
        fixture.record(.started, 1)
        for follower in 2...30 as ClosedRange<UInt64> {
            fixture.record(.started, follower)
            fixture.record(.deduplicated(leader: 1), follower)
        }
        fixture.clock.advance(by: .milliseconds(5))
        for id in 1...30 as ClosedRange<UInt64> {
            fixture.record(.succeeded(status: 200, attempts: 1, duration: .milliseconds(5)), id)
        }
        let leader = try kept(1)
        #expect(leader.joinedCount == 29 && leader.joined == Array(2...21) && leader.leader == nil)
        let follower = try kept(30)
        #expect(follower.leader == 1 && follower.steps.map(\.nanoseconds) == [5_000_000])
    }

    /// A request that is sent again after a rejected token is looked up again, but it is one miss.
    @Test func aMissOfACallIsCountedOnce() throws {
        for id in [1, 2] as [UInt64] {
            fixture.record(.started, id)
            fixture.record(.cacheLookedUp(.miss), id)
        }
        fixture.record(.replayed(generation: 2), 1)
        fixture.record(.cacheLookedUp(.miss), 1)
        fixture.record(.cacheLookedUp(.revalidated), 1)
        fixture.record(.succeeded(status: 200, attempts: 2, duration: .milliseconds(5)), 1)
        // The record of another call.
        fixture.record(.started, 3)
        fixture.record(.cacheLookedUp(.miss), 3)
        var expected = CacheCounts.Lookups()
        (expected.miss, expected.revalidated) = (3, 1)
        #expect(fixture.collector.copy().cache.total == expected)
        #expect(try kept(1).steps.count == 4)
    }

    /// The start follows the clock of the machine when that is set, and no less.
    @Test func theStartFollowsTheClockOfTheMachine() {
        let clock = fixture.clock
        let collector = fixture.collector
        let start = collector.unixStart
        clock.advance(by: .seconds(3_600))
        #expect(collector.unixStart == start)
        clock.setUnixTime(clock.unixTime + .milliseconds(900))
        #expect(collector.unixStart == start)
        clock.setUnixTime(clock.unixTime - .seconds(7_200))
        #expect(collector.unixStart == start + .milliseconds(900) - .seconds(7_200))
    }

    @Test func phasesAreCollectedOnlyWhileSomebodyWatches() throws {
        let collector = fixture.collector
        #expect(!collector.interests.contains(.exchanges))
        let telemetry = ClientTelemetry(others: [collector])
        #expect(!telemetry.interests.contains(.exchanges))
        collector.isWatched = true
        #expect(collector.interests == .all && telemetry.interests == .all)
        var timings = ExchangeTimings()
        timings.tls = .milliseconds(7)
        fixture.record(.started)
        fixture.record(.attemptStarted)
        fixture.record(.exchanged(timings))
        fixture.record(.succeeded(status: 200, attempts: 1, duration: .milliseconds(9)))
        #expect(try kept(1).steps.first?.phases?.timings.tls == .milliseconds(7))
        collector.isWatched = false
        #expect(!telemetry.interests.contains(.exchanges))
    }

    @Test func stepsAndCallsInProgressAreBounded() throws {
        let fixture = try DashboardFixture(openLimit: 32)
        for id in 0..<100 as Range<UInt64> { fixture.record(.started, id) }
        #expect(fixture.collector.open.oldest(1_000).count == 32)
        #expect(fixture.collector.open.untrackedCount == 68)
        for _ in 0..<100 { fixture.record(.cacheLookedUp(.miss), 0) }
        for id in 0..<100 as Range<UInt64> {
            fixture.record(.succeeded(status: 200, attempts: 1, duration: .zero), id)
        }
        // Those without steps are counted and kept all the same.
        let shared = fixture.collector.copy()
        #expect(shared.calls.listed.count == 100 && fixture.collector.open.oldest(10).isEmpty)
        let first = try #require(shared.calls.listed.first).call
        #expect(first.steps.count == CallRecord.stepLimit && first.omittedSteps == 100 - CallRecord.stepLimit)
    }

    @Test func metricsOfTheProgramAreUsed() throws {
        let metrics = RequestMetricsCollector()
        let other = try DashboardFixture(metrics: metrics)
        other.call()
        // They get their events from the program.
        #expect(metrics.snapshot().started == 0 && other.collector.receivers.isEmpty)
        fixture.call()
        #expect(fixture.collector.metrics.snapshot().started == 1)
        #expect(fixture.collector.allReceivers.contains { $0 === fixture.collector.metrics })
    }

    @Test(.tags(.concurrent)) func nothingIsLostBetweenThreads() async throws {
        let fixture = fixture
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 as Range<UInt64> {
                group.addTask {
                    for call in 0..<500 as Range<UInt64> {
                        let id = task * 500 + call
                        fixture.record(.started, id)
                        fixture.record(.attemptStarted, id)
                        fixture.record(.cacheLookedUp(.miss), id)
                        fixture.record(.succeeded(status: 200, attempts: 1, duration: .milliseconds(1)), id)
                    }
                }
            }
        }
        var shared = fixture.collector.copy()
        let columns = shared.history.columns(from: 0, at: fixture.collector.now)
        #expect(columns.reduce(0) { $0 + $1.started } == 4_000)
        #expect(columns.reduce(0) { $0 + $1.succeeded } == 4_000)
        #expect(shared.calls.lastSequence == 4_000 && shared.cache.total.miss == 4_000)
    }
}
