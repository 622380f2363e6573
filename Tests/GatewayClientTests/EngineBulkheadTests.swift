import GatewayClient
import GatewayTesting
import TestTiers
import Testing

/// A bulkhead by the configuration of an engine.
@Suite(.timeLimit(.minutes(2)), .tags(.concurrent)) struct EngineBulkheadTests {
    /// A call, or a stream that is read or given up.
    private static func call(_ engine: GatewayEngine, _ url: String, _ number: Int) async throws {
        let request = try HTTPRequest(.get, "\(url)/books?call=\(number)")
        guard number % 3 == 0 else {
            _ = try await engine.send(request)
            return
        }
        let response = try await engine.stream(request)
        if number % 2 == 0 {
            response.body.discard()
        } else {
            _ = try await response.body.collect(upToBytes: 1 << 20)
        }
    }

    /// The limits of the transport are lower than those of the bulkhead, which raises them: all wait in the bulkhead.
    @Test(arguments: [1, 2])
    func nothingWaitsInTheTransport(loops: Int) async throws {
        let gateway = try EmbeddedGateway.start()
        let (permits, count) = (12, 100)
        var configuration = GatewayConfiguration()
        configuration.deadline = .seconds(3600)
        configuration.protection.bulkhead = BulkheadPolicy(
            perOrigin: .fixed(permits), inAll: 16, waitingPerOrigin: 2_000, longestWait: .seconds(3600))
        configuration.transport.connectionsPerOrigin = 2
        configuration.transport.connectionsInAll = 3
        configuration.transport.loops = loops
        let engine = try configuration.makeEngine()
        let bulkhead = try #require(engine.bulkhead)
        let hold = gateway.hold()
        let url = gateway.apiURL
        let calls = (0..<count).map { number in Task { try await Self.call(engine, url, number) } }
        await hold.waitForArrivals(permits)
        #expect(await isEventually { bulkhead.statistics.all.waitingCount == count - permits })
        let all = await engine.statistics().all
        #expect(all.waiting == 0 && all.active == permits)
        // Some leave, at the server or in the bulkhead; those that take their places wait nowhere else.
        let leaving = calls.indices.filter { $0 % 7 == 0 }
        for index in leaving { calls[index].cancel() }
        for index in leaving { await #expect(throws: (any Error).self) { try await calls[index].value } }
        let left = count - leaving.count
        #expect(await isEventually { bulkhead.statistics.all.waitingCount == left - permits })
        hold.release()
        for (index, call) in calls.enumerated() where index % 7 != 0 {
            try await call.value
            #expect(await engine.statistics().all.waiting == 0, "in the transport")
        }
        #expect(await isEventually { bulkhead.statistics.all.inUse == 0 })
        #expect(bulkhead.statistics.all.waitingCount == 0)
        await engine.shutdown(within: .zero)
        gateway.shutdown()
    }

    /// The same load without a bulkhead waits there.
    @Test func withoutABulkheadCallsWaitForConnections() async throws {
        let gateway = try EmbeddedGateway.start()
        var configuration = GatewayConfiguration()
        configuration.deadline = .seconds(3600)
        configuration.transport.timeouts.queue = .seconds(3600)
        configuration.transport.connectionsPerOrigin = 2
        let engine = try configuration.makeEngine()
        let hold = gateway.hold()
        let url = gateway.apiURL
        let calls = (0..<30).map { number in Task { try await Self.call(engine, url, number) } }
        await hold.waitForArrivals(2)
        #expect(await isEventually { await engine.statistics().all.waiting == 28 })
        #expect(engine.bulkhead == nil)
        hold.release()
        for call in calls { try await call.value }
        await engine.shutdown(within: .zero)
        gateway.shutdown()
    }

    @Test func theWaitHasTheLimitOfTheTransportsQueue() throws {
        var configuration = GatewayConfiguration()
        #expect(configuration.protection.bulkhead == nil)
        configuration.protection.bulkhead = .mobile
        configuration.transport.timeouts.queue = .seconds(3)
        #expect(try configuration.makeEngine().bulkhead?.policy.longestWait == .seconds(3))
        configuration.protection.bulkhead?.longestWait = .seconds(1)
        #expect(try configuration.makeEngine().bulkhead?.policy.longestWait == .seconds(1))
    }

    @Test func anImpossiblePolicyFailsWhenTheEngineIsMade() {
        var configuration = GatewayConfiguration()
        configuration.protection.bulkhead = BulkheadPolicy(perOrigin: .fixed(8), inAll: 4)
        let error = #expect(throws: NetworkError.self) { try configuration.makeEngine() }
        #expect(
            error?.code == .misconfigured && error?.message.contains("'protection.bulkhead.inAll'") == true)
    }

    @Test func whatItDoesIsReported() async throws {
        let events = EventRecorder()
        let gate = Gate()
        let transport = ScriptedTransport { _, _ in
            await gate.pass()
            return .status(200)
        }
        var configuration = GatewayConfiguration()
        configuration.protection.bulkhead = BulkheadPolicy(
            perOrigin: .fixed(1), inAll: 1, waitingPerOrigin: 0)
        configuration.events = events
        let engine = GatewayEngine(
            transport: transport, tokenTransport: ScriptedTransport(), configuration: configuration)
        let request = try HTTPRequest(.get, "http://127.0.0.1/x")
        let first = Task { try await engine.send(request).status }
        await gate.waitForArrivals(1)
        let other = try HTTPRequest(.get, "http://127.0.0.1/y")
        let error = await #expect(throws: NetworkError.self) { try await engine.send(other) }
        #expect(error?.code == .overloaded)
        #expect(events.stateEvents.map(\.kind) == [.bulkheadOverloaded(limit: 1, waiting: 0)])
        gate.open()
        #expect(try await first.value == 200)
        #expect(await isEventually { events.stateEvents.last?.kind == .bulkheadRecovered })
    }
}
