import GatewayClient
import GatewayTesting
import TestTiers
import Testing

/// What an engine does when its network changes.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct NetworkReactionTests {
    private let network = ScriptedNetwork()

    private func engine(
        _ transport: any Transport, _ breakers: CircuitBreakerRegistry? = nil, events: EventRecorder? = nil
    ) -> GatewayEngine {
        var configuration = GatewayConfiguration()
        configuration.retry.policy = .never
        configuration.network = network
        configuration.protection.circuitBreakers = breakers
        configuration.events = events
        return GatewayEngine(
            transport: transport, tokenTransport: ScriptedTransport(), configuration: configuration)
    }

    /// `network.transition-drops-idle`
    @Test func idleConnectionsAreDroppedWhenTheNetworkReturnsOrIsAnother() async throws {
        let transport = DropCounter()
        let engine = engine(transport)
        network.report(.offline)
        network.report(.online)
        #expect(await isEventually { transport.drops.withLock { $0 } == 1 })
        network.report(.moved)
        #expect(await isEventually { transport.drops.withLock { $0 } == 2 })
        _ = engine
    }

    /// `network.transition-half-opens`
    @Test func hostsAreProbedAtOnceWhenTheNetworkReturns() async throws {
        let isUp = Locked(false)
        let transport = ScriptedTransport { _, _ in
            isUp.withLock { $0 }
                ? .status(200) : .failure(NetworkError(.connectionRefused, "Refused.", phase: .connect))
        }
        // Time does not pass, so that no circuit probes because its open time is over.
        let breakers = try CircuitBreakerRegistry(hosts: .aggressive, clock: ManualClock())
        let engine = engine(transport, breakers)
        let origin = try Origin("http://127.0.0.1")
        let request = try HTTPRequest(.get, "http://127.0.0.1/x")
        let named = breakers.breaker(for: "orders")
        for _ in 0..<20 {
            _ = try? await named.execute { throw NetworkError(.timeout, "Late.") }
            _ = try? await engine.send(request)
        }
        #expect(breakers.states[.host(origin)] == .open && named.state == .open)
        isUp.withLock { $0 = true }
        network.report(.offline)
        network.report(.online)
        #expect(await isEventually { breakers.states[.host(origin)] == .halfOpen })
        #expect(try await engine.send(request).status == 200)
        #expect(breakers.states[.host(origin)] == .closed)
        // A circuit of anything else has nothing to do with the network.
        #expect(named.state == .open)
    }

    /// `network.never-refuses`
    @Test func anOfflineNetworkRefusesNoCall() async throws {
        network.set(NetworkCondition(quality: .offline))
        let transport = ScriptedTransport(.status(200))
        let engine = engine(transport, try CircuitBreakerRegistry(network: network))
        for _ in 0..<10 {
            #expect(try await engine.send(HTTPRequest(.get, "http://127.0.0.1/x")).status == 200)
        }
    }

    /// `network.offline-opens-nothing`: for an interruption that is not yet an outage, too.
    @Test(arguments: [
        NetworkCondition(quality: .offline), NetworkCondition(quality: .excellent, isInterrupted: true),
    ])
    func withoutANetworkNoCircuitOpens(condition: NetworkCondition) async throws {
        network.set(condition)
        let transport = ScriptedTransport(
            .failure(NetworkError(.noConnection, "Network is unreachable.", phase: .connect)))
        let breakers = try CircuitBreakerRegistry(
            hosts: .aggressive, clock: ManualClock(), network: network)
        let engine = engine(transport, breakers)
        let origin = try Origin("http://api.example.com")
        for _ in 0..<30 { _ = try? await engine.send(HTTPRequest(.get, "http://api.example.com/x")) }
        #expect(breakers.states[.host(origin)] == .closed)
        network.set(NetworkCondition(quality: .excellent))
        for _ in 0..<30 { _ = try? await engine.send(HTTPRequest(.get, "http://api.example.com/x")) }
        #expect(breakers.states[.host(origin)] == .open)
    }

    @Test func theNetworkReceivesTheExchangesAndTheProgramItsEvents() async throws {
        let events = EventRecorder()
        let engine = engine(ScriptedTransport(.status(200)), events: events)
        _ = try await engine.send(HTTPRequest(.get, "http://127.0.0.1/x"))
        #expect(!events.events.isEmpty)
        #expect(network.observed.events.isEmpty, "it is interested in exchanges alone, which no script has")
    }
}

private final class DropCounter: Transport {
    let drops = Locked(0)
    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        throw NetworkError(.noConnection, "None.")
    }
    func dropIdleConnections() { drops.withLock { $0 += 1 } }
    func shutdown() async {}
}
