import GatewayTesting
import Testing

@testable import GatewayResilience

/// Simulated servers that limit the rate of many callers. `GatewayCurlTests/Counterparts/RateLimitTests.swift` has real ones.
@Suite struct RateGateLoadTests {
    /// Few calls are rejected, and at least half of the server's rate is used.
    ///
    /// - Parameter searching: how many calls may be rejected besides, until the pace is known.
    private func check(
        _ simulation: RateSimulation, perSecond: Double, searching: Double = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let later = simulation.later
        let rejected = later.count(where: \.isRejected)
        #expect(
            Double(rejected) <= 0.03 * Double(later.count) + searching, "\(rejected) of \(later.count)",
            sourceLocation: sourceLocation)
        let seconds = Double(simulation.now - simulation.firstRejection) / 1_000_000
        #expect(
            Double(later.count) > perSecond * seconds / 2, "\(later.count) in \(seconds) s",
            sourceLocation: sourceLocation)
    }

    /// Without a quota and without a time the pace is learned. That of a slow server is found after a few rejections, which are
    /// many of few.
    @Test(arguments: [2.0, 20, 50, 200])
    func thePaceIsLearned(rate: Double) throws {
        let seed = TestSeed.value(UInt64(rate))
        var simulation = try RateSimulation(
            .bucket(perSecond: rate, burst: 10, retryAfter: nil), callers: 40, seed: seed)
        simulation.run(seconds: rate > 100 ? 20 : 60)
        check(simulation, perSecond: rate, searching: rate < 10 ? 4 : 0)
        #expect(rate < 10 || (simulation.leastSpread(ofWindow: 1) ?? 0) >= 0.8)
    }

    @Test func aTimeIsObeyed() throws {
        var simulation = try RateSimulation(
            .bucket(perSecond: 50, burst: 10, retryAfter: 1), callers: 40, seed: TestSeed.value(1))
        simulation.run(seconds: 60)
        check(simulation, perSecond: 50)
        #expect(try #require(simulation.leastSpread(ofWindow: 1)) >= 0.8)
        #expect(try #require(simulation.later.first).begin >= simulation.firstRejection + 1_000_000)
    }

    /// Those that wait for a connection when the gate closes are not sent.
    @Test func moreCallsThanConnections() throws {
        var simulation = try RateSimulation(
            .bucket(perSecond: 50, burst: 10, retryAfter: 1), callers: 400, connections: 20,
            seed: TestSeed.value(2))
        simulation.run(seconds: 20)
        check(simulation, perSecond: 50)
        // The bucket holds 11 of the first 20 calls.
        let early = simulation.sent.filter { $0.begin <= simulation.firstRejection }
        #expect(early.count <= 40, "\(early.count)")
    }

    /// A quota in fixed windows is spread over them.
    @Test func aFixedWindowIsSpread() throws {
        var simulation = try RateSimulation(
            .window(calls: 40, seconds: 2), callers: 40, seed: TestSeed.value(3))
        simulation.run(seconds: 60)
        check(simulation, perSecond: 20)
        #expect(try #require(simulation.leastSpread(ofWindow: 2)) >= 0.8)
    }
}
