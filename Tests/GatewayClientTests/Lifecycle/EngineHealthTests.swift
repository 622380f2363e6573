import GatewayClient
import GatewayTesting
import TestTiers
import Testing

@Suite(.tags(.concurrent)) struct EngineHealthTests {
    private let clock = ManualClock()
    private let request: HTTPRequest

    init() throws { request = try HTTPRequest(.get, "https://api.example.com/x") }

    private func engine(
        _ transport: any Transport, _ change: (inout GatewayConfiguration) throws -> Void = { _ in }
    ) throws -> GatewayEngine {
        var configuration = GatewayConfiguration()
        configuration.clock = clock
        configuration.coalescing = nil
        configuration.retry.policy = .never
        try change(&configuration)
        return GatewayEngine(
            transport: transport, tokenTransport: ScriptedTransport(), configuration: configuration)
    }

    private func tokens(
        _ body: @escaping @Sendable () async throws -> String = { "hunter2" }
    ) throws -> GatewayConfiguration.Authentication {
        GatewayConfiguration.Authentication(
            coordinator: TokenRefreshCoordinator(provider: ClosureTokenProvider(body), clock: clock),
            scope: try CredentialScope(["https://api.example.com"]))
    }

    @Test func anEngineWithoutCallsIsReady() async throws {
        let engine = try engine(ScriptedTransport(.status(200)))
        let health = await engine.health()
        #expect(health.isReady && health.calls == 0 && health.tokens.isEmpty)
        #expect(health.bulkhead == nil && health.hedging == nil && health.network == nil)
        let text = String(decoding: try health.json.jsonBytes(), as: UTF8.self)
        #expect(text.contains(#""ready":true"#))
    }

    @Test func callsInProgressAreCounted() async throws {
        let gate = Gate()
        let engine = try engine(
            ScriptedTransport { _, _ in
                await gate.pass()
                return .status(200)
            }
        ) { $0.protection.bulkhead = .server }
        let request = request
        let call = Task { try await engine.send(request) }
        await gate.waitForArrivals(1)
        let health = await engine.health()
        #expect(health.calls == 1 && health.bulkhead?.all.inUse == 1)
        gate.open()
        _ = try await call.value
        #expect(await engine.health().calls == 0)
    }

    /// health.readiness
    @Test func aFailingServerIsNoObstacle() async throws {
        let network = ScriptedNetwork(clock: clock)
        let breakers = try CircuitBreakerRegistry(clock: clock)
        let gate = try RateGate(clock: clock)
        let transport = ScriptedTransport(.status(503, fields: ["Retry-After": "30"]))
        let engine = try engine(transport) {
            $0.protection.circuitBreakers = breakers
            $0.protection.rateGate = gate
            $0.network = network
        }
        breakers.breaker(for: "orders").isolate()
        _ = try await engine.send(request)
        network.report(.offline)
        let health = await engine.health()
        #expect(health.circuitBreakers["orders"] == .isolated)
        #expect((health.rateLimits.first?.closedFor ?? .zero) >= .seconds(30))
        #expect(health.network?.isOnline == false)
        #expect(health.isReady)
        let text = String(decoding: try health.json.jsonBytes(), as: UTF8.self)
        #expect(text.contains(#""name":"orders""#) && text.contains(#""closed_for_s":3"#))
        #expect(text.contains(#""network":"offline""#))
    }

    /// health.readiness
    @Test func aCredentialThatMustSignInIsAnObstacle() async throws {
        let transport = ScriptedTransport(.status(200))
        let engine = try engine(transport) {
            $0.authentication = try tokens { throw NetworkError(.reauthenticationRequired, "sign in") }
        }
        #expect(await engine.health().isReady)
        await #expect(throws: NetworkError.self) { try await engine.send(request) }
        let health = await engine.health()
        #expect(!health.isReady)
        #expect(health.obstacles == ["no token for default: reauthentication_required"])
    }

    /// health.no-secret
    @Test func theJSONHasNoToken() async throws {
        let engine = try engine(ScriptedTransport(.status(200))) { $0.authentication = try tokens() }
        _ = try await engine.send(request)
        let health = await engine.health()
        #expect(health.tokens.first?.usable == 1)
        let text = String(decoding: try health.json.jsonBytes(), as: UTF8.self) + String(reflecting: health)
        #expect(!text.contains("hunter2"))
    }

    @Test func anExhaustedRetryBudgetIsShown() async throws {
        let engine = try engine(ScriptedTransport(.status(503))) {
            $0.retry.policy = .immediate(attempts: 5)
            $0.retry.budget = RetryBudget(share: 0, perSecond: 1, reserve: 2)
        }
        _ = try await engine.send(request)
        let exhausted = await engine.health().retryBudgets[request.origin]
        #expect(exhausted?.retries == 0 && exhausted?.isExhausted == true)
        clock.advance(by: .seconds(1))
        #expect(await engine.health().retryBudgets[request.origin]?.retries == 1)
        clock.advance(by: .seconds(1))
        #expect(await engine.health().retryBudgets.isEmpty)
    }

    /// health.reads-only
    @Test func readingSendsNothing() async throws {
        let asked = Locked(0)
        let transport = ScriptedTransport(.status(200))
        let engine = try engine(transport) {
            $0.authentication = try tokens {
                asked.withLock { $0 += 1 }
                return "hunter2"
            }
        }
        for _ in 0..<100 { #expect(await engine.health().isReady) }
        #expect(transport.requests.isEmpty && asked.withLock { $0 } == 0)
    }

    @Test func aPartIsShownAndMayBeAnObstacle() async throws {
        let engine = try engine(ScriptedTransport(.status(200)))
        let part = Part()
        engine.join(part)
        engine.join(part)
        #expect(
            await engine.health().parts == [PartHealth(name: "import", state: "idle", counts: ["rows": 3])])
        part.isReady.withLock { $0 = false }
        let health = await engine.health()
        #expect(health.obstacles == ["import: idle"])
        let text = String(decoding: try health.json.jsonBytes(), as: UTF8.self)
        #expect(text.contains(#""rows":3"#) && text.contains(#""ready":false"#))
    }

    private final class Part: EnginePart {
        let isReady = Locked(true)

        func partHealth() async -> PartHealth? {
            PartHealth(name: "import", state: "idle", counts: ["rows": 3], isReady: isReady.withLock { $0 })
        }

        func end(until deadline: Deadline) async {}
    }
}
