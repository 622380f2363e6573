import GatewayClient
import GatewayTesting
import Testing

/// A rate gate by the configuration of an engine.
@Suite struct EngineRateGateTests {
    private let transport = ScriptedTransport(.status(429, fields: ["Retry-After": "30"]))
    private let events = EventRecorder()

    private func engine(_ gate: RateGate?) -> GatewayEngine {
        var configuration = GatewayConfiguration()
        configuration.retry.policy = .never
        configuration.protection.rateGate = gate
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

    @Test func aLimitHoldsCallsBack() async throws {
        let gate = try RateGate(.failFast)
        #expect(try await calls(3, engine(gate)) == ["429", "rate_limited", "rate_limited"])
        #expect(transport.requests.count == 1 && gate.limits.count == 1)
        guard case .rateGateClosed("", let time, .rejected(status: 429))? = events.stateEvents.first?.kind
        else {
            Issue.record("\(events.stateEvents)")
            return
        }
        #expect(time >= .seconds(30) && events.stateEvents.count == 1)
    }

    @Test func thereIsNoneByDefault() async throws {
        #expect(try await calls(3, engine(nil)) == ["429", "429", "429"])
        #expect(GatewayConfiguration().protection.rateGate == nil && events.stateEvents.isEmpty)
    }
}
