import GatewayClient
import GatewayTesting
import Testing

/// The retry budget of calls that authentication sends again.
@Suite struct RetryBudgetReplayTests {
    private actor Tokens: TokenProvider {
        private var number = 1
        func currentToken() async throws -> String? { "token-\(number)" }
        func refreshToken() async throws -> String {
            number += 1
            return "token-\(number)"
        }
    }

    @Test func aReplayAfterA401TakesNone() async throws {
        let transport = ScriptedTransport(.status(401), .status(503), .status(401), .status(503))
        var configuration = GatewayConfiguration()
        configuration.retry.policy = .immediate(attempts: 2)
        configuration.retry.budget = RetryBudget(share: 0, perSecond: 0, reserve: 1)
        configuration.authentication = GatewayConfiguration.Authentication(
            coordinator: TokenRefreshCoordinator(provider: Tokens()),
            scope: try CredentialScope(["https://api.example.com"]))
        let engine = GatewayEngine(
            transport: transport, tokenTransport: ScriptedTransport(), configuration: configuration)
        let request = try HTTPRequest(.get, "https://api.example.com/")
        // A replay, and a retry of it, which takes the only token.
        #expect(try await engine.send(request).status == 401)
        #expect(transport.requests.count == 3)
        let fields = transport.requests.map { $0.fields[.authorization] }
        #expect(fields == ["Bearer token-1", "Bearer token-2", "Bearer token-2"])
        // No token is left, and none is needed for the first attempt.
        #expect(try await engine.send(request).status == 503)
        #expect(transport.requests.count == 4)
    }
}
