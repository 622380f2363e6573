import GatewayClient
import GatewayTesting
import Testing

/// A generated client with the credential that the environment's variables describe.
@Suite(.timeLimit(.minutes(1))) struct EnvironmentCredentialTests {
    private func variables(_ gateway: EmbeddedGateway) -> [String: String] {
        [
            "GATEWAY_BASE_URL": gateway.apiURL, "GATEWAY_TOKEN_URL": gateway.tokenURL,
            "GATEWAY_CLIENT_ID": gateway.client.id, "GATEWAY_CLIENT_SECRET": gateway.client.secret.exposed,
            "GATEWAY_SCOPE": "books:read stock:admin",
        ]
    }

    private func api(_ gateway: EmbeddedGateway, _ environment: GatewayEnvironment) -> BookshopClient {
        BookshopClient(
            server: .init(url: gateway.apiURL),
            credentials: .init(bookshopAuth: .environment(environment)),
            configuration: environment.configuration())
    }

    @Test func itsTokenServesAllOperations() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        let api = api(gateway, try GatewayEnvironment(variables(gateway)))
        _ = try await api.books.list()
        _ = try await api.stock.set(bookId: "bk-1", .init(copies: 1))
        gateway.revokeCurrentTokens()
        _ = try await api.books.list()
        #expect(gateway.statistics.tokenRequests == ["client_credentials": 2])
    }

    /// auth.one-credential
    @Test func anEngineOfTheEnvironmentNeedsNoSecondCredential() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        let environment = try GatewayEnvironment(variables(gateway))
        let engine = try environment.configuration().makeEngine()
        for _ in 0..<2 {
            let api = BookshopClient(server: .init(url: gateway.apiURL), engine: engine)
            _ = try await api.books.list()
        }
        _ = try await engine.send(try HTTPRequest(.get, "\(gateway.apiURL)/books"))
        // All of its engines and clients have the same tokens.
        _ = try await api(gateway, environment).books.list()
        _ = try await BookshopClient(
            server: .init(url: gateway.apiURL), configuration: environment.configuration()
        ).books.list()
        #expect(gateway.statistics.tokenRequests == ["client_credentials": 1])
    }

    @Test func otherOriginsGetNone() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        var variables = variables(gateway)
        variables["GATEWAY_BASE_URL"] = "https://api.example"
        let api = api(gateway, try GatewayEnvironment(variables))
        await #expect(throws: (any Error).self) { try await api.books.list() }
        #expect(gateway.statistics.requests == 0)
    }

    @Test func withoutVariablesThereIsNone() async throws {
        let environment = try GatewayEnvironment([:])
        #expect(OAuthCredential.environment(environment)?.description == nil)
        #expect(BearerCredential.environment(environment).map { _ in true } == nil)
    }
}
