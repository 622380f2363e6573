import GatewayClient
import GatewayTesting
import Testing

/// A bulkhead by the configuration of an engine.
@Suite(.timeLimit(.minutes(2))) struct EngineBulkheadTests {
    /// Replies after a short time, which differs.
    private static func gateway() throws -> EmbeddedGateway {
        let gateway = try EmbeddedGateway.start()
        gateway.inject(.latency(.milliseconds(1) ... .milliseconds(6)))
        return gateway
    }

    private struct Load {
        var served = 0
        var rejected = 0
        var mostActive = 0
        var mostWaiting = 0
        var mostInBulkhead = 0
    }

    /// Makes calls of which some are cancelled and some are streams that are given up, and looks at the transport meanwhile.
    private func load(_ engine: GatewayEngine, _ gateway: EmbeddedGateway, calls: Int) async throws -> Load {
        let url = gateway.apiURL
        let tasks = (0..<calls).map { number in
            Task { () throws -> Void in
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
        }
        let observer = Task { () -> Load in
            var load = Load()
            while !Task.isCancelled {
                let all = await engine.statistics().all
                load.mostActive = max(load.mostActive, all.active)
                load.mostWaiting = max(load.mostWaiting, all.waiting)
                load.mostInBulkhead = max(
                    load.mostInBulkhead, engine.bulkhead?.statistics.all.waitingCount ?? 0)
                await Task.yield()
            }
            return load
        }
        for (number, task) in tasks.enumerated() where number % 7 == 0 { task.cancel() }
        var results = 0
        for task in tasks where (try? await task.value) != nil { results += 1 }
        observer.cancel()
        var load = await observer.value
        load.served = results
        return load
    }

    /// The limits of the transport are lower than those of the bulkhead, which raises them: all wait in the bulkhead.
    @Test(arguments: [1, 2])
    func nothingWaitsInTheTransport(loops: Int) async throws {
        let gateway = try Self.gateway()
        var configuration = GatewayConfiguration()
        configuration.bulkhead = BulkheadPolicy(perOrigin: .fixed(12), inAll: 16, waitingPerOrigin: 2_000)
        configuration.transport.connectionsPerOrigin = 2
        configuration.transport.connectionsInAll = 3
        configuration.transport.loops = loops
        let engine = try configuration.makeEngine()
        let load = try await load(engine, gateway, calls: 1_000)
        #expect(load.mostWaiting == 0, "in the transport")
        #expect(load.mostInBulkhead > 100 && load.mostActive > 2 && load.served > 700)
        let statistics = try #require(engine.bulkhead).statistics
        #expect(statistics.all.inUse == 0 && statistics.all.waitingCount == 0)
        await engine.shutdown(within: .zero)
    }

    /// The same load without a bulkhead waits there: the observer would see it.
    @Test func withoutABulkheadCallsWaitForConnections() async throws {
        let gateway = try Self.gateway()
        var configuration = GatewayConfiguration()
        configuration.transport.connectionsPerOrigin = 2
        let engine = try configuration.makeEngine()
        let load = try await load(engine, gateway, calls: 300)
        #expect(load.mostWaiting > 50 && engine.bulkhead == nil)
        await engine.shutdown(within: .zero)
    }

    @Test func theWaitHasTheLimitOfTheTransportsQueue() throws {
        var configuration = GatewayConfiguration()
        #expect(configuration.bulkhead == nil)
        configuration.bulkhead = .mobile
        configuration.transport.timeouts.queue = .seconds(3)
        #expect(try configuration.makeEngine().bulkhead?.policy.longestWait == .seconds(3))
        configuration.bulkhead?.longestWait = .seconds(1)
        #expect(try configuration.makeEngine().bulkhead?.policy.longestWait == .seconds(1))
    }

    @Test func anImpossiblePolicyFailsWhenTheEngineIsMade() {
        var configuration = GatewayConfiguration()
        configuration.bulkhead = BulkheadPolicy(perOrigin: .fixed(8), inAll: 4)
        let error = #expect(throws: NetworkError.self) { try configuration.makeEngine() }
        #expect(error?.code == .misconfigured && error?.message.contains("'bulkhead.inAll'") == true)
    }

    @Test func whatItDoesIsReported() async throws {
        let events = EventRecorder()
        let gate = Gate()
        let transport = ScriptedTransport { _, _ in
            await gate.pass()
            return .status(200)
        }
        var configuration = GatewayConfiguration()
        configuration.bulkhead = BulkheadPolicy(perOrigin: .fixed(1), inAll: 1, waitingPerOrigin: 0)
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
