import GatewayClient
import GatewayTesting
import Testing

@Suite struct WarmUpTests {
    private let clock = ManualClock()
    private let asked = Count()

    private final class Count: Sendable {
        private let count = Locked(0)
        var value: Int { count.withLock { $0 } }
        func next() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    private func engine(
        _ transport: any Transport, token: @escaping @Sendable (Int) async throws -> String
    ) throws -> GatewayEngine {
        let asked = asked
        var configuration = GatewayConfiguration()
        configuration.clock = clock
        var policy = TokenRefreshPolicy()
        policy.outagePatience = .zero
        configuration.retry.policy = .never
        configuration.authentication = .init(
            coordinator: TokenRefreshCoordinator(
                provider: ClosureTokenProvider {
                    try await token(asked.next())
                }, policy: policy, clock: clock, random: SeededRandomSource(seed: 1)),
            scope: try CredentialScope(["https://api.example.com"]))
        return GatewayEngine(
            transport: transport, tokenTransport: ScriptedTransport(), configuration: configuration)
    }

    /// warm-up.tokens
    @Test func itGetsTokensAndSendsTheNamedRequests() async throws {
        let transport = ScriptedTransport(.status(404))
        let engine = try engine(transport) { _ in "token" }
        try await engine.warmUp()
        #expect(asked.value == 1 && transport.requests.isEmpty)
        try await engine.warmUp([try HTTPRequest(.head, "https://api.example.com/health")])
        #expect(asked.value == 1)
        #expect(transport.requests.map(\.target) == ["/health"])
        #expect(transport.requests[0].fields[.authorization] == "Bearer token")
    }

    /// A probe may ask each second: after a failure nothing is sent before the backoff has passed, and then the token comes
    /// although no call needs it.
    @Test func aProbeFindsTheTokenServerThatIsBack() async throws {
        let engine = try engine(ScriptedTransport(.status(200))) { count in
            guard count > 1 else { throw NetworkError(.tokenUnavailable, "down") }
            return "token"
        }
        for _ in 0..<3 {
            let error = await #expect(throws: NetworkError.self) { try await engine.warmUp() }
            #expect(error?.code == .tokenUnavailable)
        }
        #expect(asked.value == 1)
        #expect(await engine.health().isReady)
        clock.advance(by: .seconds(3600))
        try await engine.warmUp()
        #expect(await engine.health().tokens.first?.usable == 1)
    }

    /// A token server that does not answer holds no program that ends.
    @Test func aShutdownEndsAWarmUp() async throws {
        let gate = Gate()
        let engine = try engine(ScriptedTransport(.status(200))) { _ in
            await gate.pass()
            return "token"
        }
        let warmUp = Task { () async -> NetworkError? in
            do throws(NetworkError) { try await engine.warmUp() } catch { return error }
            return nil
        }
        await gate.waitForArrivals(1)
        await engine.shutdown(within: .zero)
        #expect(await warmUp.value?.code == .closed)
        gate.open()
    }

    @Test func afterAShutdownNothingIsRequested() async throws {
        let engine = try engine(ScriptedTransport(.status(200))) { _ in "token" }
        await engine.shutdown(within: .zero)
        let error = await #expect(throws: NetworkError.self) { try await engine.warmUp() }
        #expect(error?.code == .closed && asked.value == 0)
        #expect(await engine.health().obstacles == ["the engine is shut down"])
    }
}
