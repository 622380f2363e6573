import GatewayClient
import GatewayTesting
import Testing

/// Hedges over real connections.
@Suite(.timeLimit(.minutes(1))) struct HedgingTests {
    private final class Counter: Sendable {
        private let count = Locked(0)

        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    private func engine(_ policy: HedgingPolicy) -> GatewayEngine {
        var configuration = GatewayConfiguration()
        configuration.hedging = policy
        configuration.retry = .never
        configuration.coalesces = false
        return GatewayEngine(configuration: configuration)
    }

    private func request(_ gateway: EmbeddedGateway, _ path: String) throws -> HTTPRequest {
        try HTTPRequest(.get, "\(gateway.origin)\(path)")
    }

    /// Two of a hundred responses take 200 ms, the others 5 ms. Judged by what the server has seen: machines that run tests
    /// are busy.
    @Test func fewSlowResponsesCostFewRequestsAndConnections() async throws {
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
        await engine.shutdown(within: .seconds(5))
        gateway.shutdown()
    }

    /// hedge.loser-ends: the deadline of the call does not end the attempt that has lost.
    @Test func aLoserOutlivesTheDeadlineOfItsCall() async throws {
        let gateway = try EmbeddedGateway.start()
        gateway.route(.get, "/x") { _ in .text("ok") }
        gateway.inject(.answerLate(by: .milliseconds(600)), times: 1)
        let engine = engine(HedgingPolicy(fixedDelay: .milliseconds(20), maximumShare: 1))
        let response = try await engine.send(
            try request(gateway, "/x"), options: CallOptions(deadline: .milliseconds(300)))
        #expect(response.status == 200 && response.exchange.attempts == 2)
        #expect(await engine.statistics().all.active == 1)
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
        await engine.shutdown(within: .seconds(5))
        gateway.shutdown()
    }

    /// A long body that nobody needs is not read to its end.
    @Test func aLoserWithALongBodyIsGivenUp() async throws {
        let gateway = try EmbeddedGateway.start()
        let body = [UInt8](repeating: 1, count: 4 << 20)
        let count = Counter()
        gateway.route(.get, "/x") { _ in
            let index = count.next()
            return EmbeddedGateway.Reply(body: index == 1 ? body : [])
        }
        gateway.inject(.answerLate(by: .milliseconds(300)), times: 1)
        let engine = engine(HedgingPolicy(fixedDelay: .milliseconds(20), maximumShare: 1))
        let response = try await engine.send(try request(gateway, "/x"))
        #expect(response.body.bytes?.isEmpty == true)
        #expect(await engine.statistics().all.active == 1)
        #expect(await isEventually { await engine.statistics().all.active == 0 })
        #expect(await engine.statistics().all.connections == 1)
        await engine.shutdown(within: .seconds(5))
        gateway.shutdown()
    }
}
