import GatewayClient
import GatewayTesting
import Testing

/// A token server that is down for a moment, seen by calls through the whole stack.
@Suite(.timeLimit(.minutes(1))) struct TokenOutageTests {
    private let gateway: EmbeddedGateway

    init() throws { gateway = try EmbeddedGateway.start() }

    private func engine(patience: Duration = .zero) throws -> GatewayEngine {
        let endpoint = try TokenEndpoint(
            gateway.tokenURL, client: .basic(clientID: gateway.client.id, secret: gateway.client.secret),
            transport: CurlTransport())
        var policy = TokenRefreshPolicy()
        policy.outagePatience = patience
        let key = endpoint.key()
        var configuration = GatewayConfiguration()
        configuration.authentication = GatewayConfiguration.Authentication(
            coordinator: TokenRefreshCoordinator(
                acquirer: ClientCredentials(endpoint: endpoint), policy: policy),
            scope: CredentialScope([gateway.origin], key: key))
        return try configuration.makeEngine()
    }

    private func status(_ engine: GatewayEngine) async throws -> Int {
        try await engine.send(try HTTPRequest(.get, "\(gateway.apiURL)/books/bk-1")).status
    }

    /// Twenty at once: one request for a token at a time, and those who wait keep the pause that the server asks for.
    @Test func callsWithoutATokenWaitWherePatienceIsAsked() async throws {
        defer { gateway.shutdown() }
        gateway.inject(.status(503, retryAfter: .seconds(1)), into: .token, times: 1)
        let engine = try engine(patience: .seconds(20))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for book in 1...20 {
                group.addTask {
                    let url = "\(gateway.apiURL)/books?limit=\(book)"
                    return try await engine.send(try HTTPRequest(.get, url)).status
                }
            }
            for try await status in group { #expect(status == 200) }
        }
        // What a fault answered is not counted.
        #expect(gateway.statistics.tokenRequestCount == 1)
    }

    @Test(arguments: [Duration.zero, .seconds(20)])
    func aRejectedCallWaitsWherePatienceIsAsked(patience: Duration) async throws {
        defer { gateway.shutdown() }
        let engine = try engine(patience: patience)
        #expect(try await status(engine) == 200)
        gateway.revokeCurrentTokens()
        gateway.inject(.status(503), into: .token, times: 1)
        if patience > .zero {
            #expect(try await status(engine) == 200)
            #expect(gateway.statistics.tokenRequestCount == 2)
        } else {
            let error = await #expect(throws: NetworkError.self) { try await status(engine) }
            #expect(error?.code == .tokenUnavailable)
            #expect(gateway.statistics.tokenRequestCount == 1)
        }
    }

    /// By what the environment says.
    @Test func theEnvironmentAsksForPatience() async throws {
        defer { gateway.shutdown() }
        gateway.inject(.status(503), into: .token, times: 1)
        let environment = try GatewayEnvironment([
            "GATEWAY_BASE_URL": gateway.apiURL, "GATEWAY_TOKEN_URL": gateway.tokenURL,
            "GATEWAY_CLIENT_ID": gateway.client.id, "GATEWAY_CLIENT_SECRET": gateway.client.secret.exposed,
            "GATEWAY_TOKEN_PATIENCE": "20s",
        ])
        #expect(try await status(environment.configuration().makeEngine()) == 200)
    }
}
