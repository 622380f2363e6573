import GatewayClient
import GatewayTesting
import TestTiers
import Testing

/// A token server that is down for a moment, seen by calls through the whole stack.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct TokenOutageTests {
    private let gateway: EmbeddedGateway
    private let clock = ManualClock()

    init() throws { gateway = try EmbeddedGateway.start() }

    private func engine(patience: Duration = .zero) throws -> GatewayEngine {
        let endpoint = try TokenEndpoint(
            gateway.tokenURL, client: .basic(clientID: gateway.client.id, secret: gateway.client.secret),
            transport: CurlTransport())
        var policy = TokenRefreshPolicy()
        policy.outagePatience = patience
        let key = endpoint.key()
        var configuration = GatewayConfiguration()
        configuration.clock = clock
        configuration.authentication = GatewayConfiguration.Authentication(
            coordinator: TokenRefreshCoordinator(
                acquirer: ClientCredentials(endpoint: endpoint), policy: policy, clock: clock,
                random: SeededRandomSource(seed: 1)),
            scope: CredentialScope([gateway.origin], key: key))
        return try configuration.makeEngine()
    }

    private func status(_ engine: GatewayEngine) async throws -> Int {
        try await engine.send(try HTTPRequest(.get, "\(gateway.apiURL)/books/bk-1")).status
    }

    /// Returns when so many callers keep the pause after a failure; other sleeps are longer.
    private func waitForPauses(_ count: Int, upTo longest: Duration) async -> Bool {
        await isEventually {
            clock.requestedDelays.count { $0 > .zero && $0 <= longest } >= count
        }
    }

    /// Twenty at once: one request for a token at a time, and those who wait keep the pause that the server asks for.
    @Test func callsWithoutATokenWaitWherePatienceIsAsked() async throws {
        defer { gateway.shutdown() }
        gateway.inject(.status(503, retryAfter: .seconds(7)), into: .token, times: 1)
        let engine = try engine(patience: .seconds(20))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for book in 1...20 {
                group.addTask {
                    let url = "\(gateway.apiURL)/books?limit=\(book)"
                    return try await engine.send(try HTTPRequest(.get, url)).status
                }
            }
            #expect(await waitForPauses(20, upTo: .seconds(7)))
            // Nobody has asked again.
            #expect(gateway.statistics.tokenRequestCount == 0)
            clock.advance(by: .seconds(7))
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
            async let call = status(engine)
            #expect(await waitForPauses(1, upTo: .seconds(1)))
            clock.advance(by: .seconds(1))
            #expect(try await call == 200)
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
