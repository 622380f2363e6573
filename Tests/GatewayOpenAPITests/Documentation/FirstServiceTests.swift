import GatewayClient
import GatewayTesting
import Testing

// The tests of FirstService.md; scripts/check-readme.sh compares them with the page.

struct Catalogue {
    let api: BookshopClient

    /// The titles of the first books.
    func titles() async throws -> [String] {
        try await api.books.list(limit: 20).items.map(\.title)
    }
}

@Suite struct CatalogueTests {
    @Test func titlesAreThoseOfTheAPI() async throws {
        let transport = ScriptedTransport(
            .status(200, fields: [.contentType: "application/json"], #"{"items":[]}"#))
        let api = BookshopClient(
            credentials: .init(bookshopAuth: .token("test")),
            engine: GatewayEngine(transport: transport, tokenTransport: ScriptedTransport()))
        #expect(try await Catalogue(api: api).titles().isEmpty)
        #expect(transport.requests.map(\.target) == ["/v1/books?limit=20"])
    }

    @Test func aRevokedTokenIsReplaced() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        let environment = try GatewayEnvironment([
            "GATEWAY_BASE_URL": gateway.apiURL, "GATEWAY_TOKEN_URL": gateway.tokenURL,
            "GATEWAY_CLIENT_ID": gateway.client.id,
            "GATEWAY_CLIENT_SECRET": gateway.client.secret.exposed,
        ])
        let engine = try environment.configuration().makeEngine()
        let api = BookshopClient(server: .init(environment, or: .production), engine: engine)
        #expect(try await Catalogue(api: api).titles().count == 20)
        gateway.revokeCurrentTokens()
        #expect(try await Catalogue(api: api).titles().count == 20)
        #expect(gateway.statistics.tokenRequests == ["client_credentials": 2])
        await engine.shutdown(within: .seconds(5))
    }
}
