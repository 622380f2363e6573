import GatewayClient
import GatewayTesting
import Testing

/// Circuit breakers by the configuration of an engine.
@Suite struct EngineCircuitBreakerTests {
    private let transport = ScriptedTransport(.status(503))

    private func engine(
        _ breakers: CircuitBreakerRegistry?, _ events: EventRecorder
    ) -> GatewayEngine {
        var configuration = GatewayConfiguration()
        configuration.retry.policy = .never
        configuration.protection.circuitBreakers = breakers
        configuration.events = events
        return GatewayEngine(
            transport: transport, tokenTransport: ScriptedTransport(), configuration: configuration)
    }

    private func calls(_ count: Int, _ engine: GatewayEngine) async throws -> [String] {
        let request = try HTTPRequest(.get, "http://127.0.0.1/x")
        var results: [String] = []
        for _ in 0..<count {
            do throws(NetworkError) {
                results.append("\(try await engine.send(request).status)")
            } catch {
                results.append(error.code.name)
            }
        }
        return results
    }

    @Test func aHostThatFailsIsNotCalled() async throws {
        let events = EventRecorder()
        let engine = engine(try CircuitBreakerRegistry(hosts: .aggressive, clock: ManualClock()), events)
        #expect(try await calls(4, engine) == ["503", "503", "503", "circuit_open"])
        #expect(transport.requests.count == 3)
        guard case .circuitOpened("http://127.0.0.1", _)? = events.stateEvents.first?.kind else {
            Issue.record("\(events.stateEvents)")
            return
        }
        #expect(events.stateEvents.count == 1)
    }

    @Test func thereAreNoneByDefault() async throws {
        let events = EventRecorder()
        #expect(try await calls(30, engine(nil, events)) == Array(repeating: "503", count: 30))
        #expect(GatewayConfiguration().protection.circuitBreakers == nil && events.stateEvents.isEmpty)
    }
}
