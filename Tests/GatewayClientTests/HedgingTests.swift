import GatewayClient
import GatewayTesting
import TestTiers
import Testing

/// Hedges over real connections.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct HedgingTests {
    private final class Counter: Sendable {
        private let count = Locked(0)

        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    private func engine(
        _ policy: HedgingPolicy, clock: any GatewayClock = SystemClock()
    ) -> GatewayEngine {
        var configuration = GatewayConfiguration()
        configuration.clock = clock
        configuration.protection.hedging = policy
        configuration.retry.policy = .never
        configuration.coalescing = nil
        return GatewayEngine(configuration: configuration)
    }

    private func request(_ gateway: EmbeddedGateway, _ path: String) throws -> HTTPRequest {
        try HTTPRequest(.get, "\(gateway.origin)\(path)")
    }

    /// Every fortieth response is held until the hedge has brought another, on a clock that the test moves. One request
    /// more for each, and one connection more for all: a loser keeps its own.
    @Test func fewSlowResponsesCostFewRequestsAndConnections() async throws {
        let (gateway, clock) = (try EmbeddedGateway.start(), ManualClock())
        let slow = Locked<Gate?>(nil)
        gateway.route(.get, "/x") { (_: EmbeddedGateway.Request) async -> EmbeddedGateway.Reply in
            let gate = slow.withLock { slow in
                defer { slow = nil }
                return slow
            }
            await gate?.pass()
            return .text("ok")
        }
        let engine = engine(.standard, clock: clock)
        let request = try request(gateway, "/x")
        // Without enough latencies to compare with there is no hedge, and the budget begins empty.
        for _ in 0..<60 { #expect(try await engine.send(request, operation: "x").status == 200) }
        #expect(engine.hedgingStatistics?.hedges == 0)
        let rounds = 4
        for round in 1...rounds {
            for _ in 1..<40 { _ = try await engine.send(request, operation: "x") }
            let gate = Gate()
            slow.withLock { $0 = gate }
            async let call = engine.send(request, operation: "x")
            await gate.waitForArrivals(1)
            clock.advance(by: .seconds(1))
            let response = try await call
            #expect(response.status == 200 && response.exchange.attempts == 2, "round \(round)")
            gate.open()
            #expect(await isEventually { await engine.statistics().all.active == 0 })
        }
        let calls = 60 + 40 * rounds
        let statistics = try #require(engine.hedgingStatistics)
        #expect(statistics.requests == calls && statistics.hedges == rounds && statistics.wins == rounds)
        #expect(gateway.statistics.requests == calls + rounds)
        #expect(gateway.statistics.connectionsOpened == 2)
        await engine.shutdown(within: .seconds(60))
        gateway.shutdown()
    }

    /// Two of a hundred responses take 200 ms, the others 5 ms. Judged by what the server has seen: machines that run tests
    /// are busy.
    @Test(.realTime("the share of slow responses depends on the machine"))
    func fewSlowResponsesCostFewRequestsAndConnectionsUnderLoad() async throws {
        let gateway = try EmbeddedGateway.start()
        let count = Counter()
        gateway.route(.get, "/x") { (_: EmbeddedGateway.Request) async -> EmbeddedGateway.Reply in
            let index = count.next()
            try? await SystemClock().sleep(
                until: .now + (index % 50 == 0 ? .milliseconds(200) : .milliseconds(5)))
            return .text("ok")
        }
        let engine = engine(.standard)
        let request = try request(gateway, "/x")
        let (callers, calls) = (4, 800)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<callers {
                group.addTask {
                    for _ in 0..<calls / callers {
                        let response = try await engine.send(request, operation: "x")
                        #expect(response.status == 200 && (1...2).contains(response.exchange.attempts))
                    }
                }
            }
            try await group.waitForAll()
        }
        let statistics = try #require(engine.hedgingStatistics)
        #expect(statistics.requests == calls)
        // The first ten slow calls or so have no hedge, and neither has one that the budget refuses.
        #expect(statistics.wins >= 4, "\(statistics)")
        #expect(statistics.hedges * 20 <= calls, "\(statistics)")
        #expect(gateway.statistics.requests == calls + statistics.hedges)
        // Those of the callers, and one for each 100 calls: losers keep theirs.
        let opened = gateway.statistics.connectionsOpened
        #expect(opened <= callers + calls / 100, "\(opened)")
        await engine.shutdown(within: .seconds(60))
        gateway.shutdown()
    }

    /// hedge.loser-ends: the deadline of the call does not end the attempt that has lost.
    @Test(.realTime("the deadline is libcurl's, and passes")) func aLoserOutlivesTheDeadlineOfItsCall()
        async throws
    {
        let gateway = try EmbeddedGateway.start()
        gateway.route(.get, "/x") { _ in .text("ok") }
        gateway.inject(.answerLate(by: .milliseconds(600)), times: 1)
        let engine = engine(HedgingPolicy(fixedDelay: .milliseconds(20), maximumShare: 1))
        let response = try await engine.send(
            try request(gateway, "/x"), options: CallOptions(deadline: .milliseconds(300)))
        #expect(response.status == 200 && response.exchange.attempts == 2)
        #expect(await engine.statistics().all.active == 1)
        #expect(await isEventually { await engine.statistics().all.active == 0 })
        #expect(await engine.statistics().all.connections == 2)
        await engine.shutdown(within: .seconds(60))
        gateway.shutdown()
    }

    /// hedge.loser-ends: the call ends, and the attempt that has lost goes on until the server responds.
    @Test func aLoserKeepsItsConnection() async throws {
        let gateway = try EmbeddedGateway.start()
        let (count, gate) = (Counter(), Gate())
        gateway.route(.get, "/x") { (_: EmbeddedGateway.Request) async -> EmbeddedGateway.Reply in
            if count.next() == 1 { await gate.pass() }
            return .text("ok")
        }
        let engine = engine(HedgingPolicy(fixedDelay: .milliseconds(20), maximumShare: 1))
        let response = try await engine.send(try request(gateway, "/x"))
        #expect(response.status == 200 && response.exchange.attempts == 2)
        #expect(await engine.statistics().all.active == 1)
        gate.open()
        // Both connections are idle in the end, and used again.
        #expect(await isEventually { await engine.statistics().all.active == 0 })
        #expect(await engine.statistics().all.connections == 2)
        let hold = gateway.hold()
        async let first = engine.send(try request(gateway, "/x"), options: CallOptions(isHedged: false))
        async let second = engine.send(try request(gateway, "/x"), options: CallOptions(isHedged: false))
        await hold.waitForArrivals(2)
        hold.release()
        let statuses = [try await first.status, try await second.status]
        #expect(statuses == [200, 200])
        #expect(gateway.statistics.connectionsOpened == 2)
        await engine.shutdown(within: .seconds(60))
        gateway.shutdown()
    }

    /// A long body that nobody needs is not read to its end.
    @Test func aLoserWithALongBodyIsGivenUp() async throws {
        let gateway = try EmbeddedGateway.start()
        let body = [UInt8](repeating: 1, count: 4 << 20)
        let (count, gate) = (Counter(), Gate())
        gateway.route(.get, "/x") { (_: EmbeddedGateway.Request) async -> EmbeddedGateway.Reply in
            guard count.next() == 1 else { return EmbeddedGateway.Reply(body: []) }
            await gate.pass()
            return EmbeddedGateway.Reply(body: body)
        }
        let engine = engine(HedgingPolicy(fixedDelay: .milliseconds(20), maximumShare: 1))
        let response = try await engine.send(try request(gateway, "/x"))
        #expect(response.body.bytes?.isEmpty == true)
        #expect(await engine.statistics().all.active == 1)
        gate.open()
        #expect(await isEventually { await engine.statistics().all.active == 0 })
        #expect(await engine.statistics().all.connections == 1)
        await engine.shutdown(within: .seconds(60))
        gateway.shutdown()
    }
}
