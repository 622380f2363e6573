import GatewayClient
import GatewayTesting
import Testing

/// The environment's variables replace the URLs of a document.
@Suite(.timeLimit(.minutes(1))) struct EnvironmentServerTests {
    private static let tokenURL = "https://auth.staging.example/token"

    @Test func theServerAndTheTokenURLAreReplaced() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        let environment = try GatewayEnvironment(
            ["GATEWAY_BASE_URL": gateway.apiURL, "GATEWAY_TOKEN_URL": gateway.tokenURL],
            requiresClient: false)
        let credential = OAuthCredential.clientCredentials(
            id: gateway.client.id, secret: gateway.client.secret)
        let api = BookshopClient(
            server: .init(environment, or: .production),
            credentials: .init(bookshopAuth: credential.at(environment)))
        _ = try await api.books.list()
        #expect(gateway.statistics.tokenRequests == ["client_credentials": 1])
    }

    @Test func theIssuerIsReplaced() async throws {
        let server = DepotServer()
        let environment = try GatewayEnvironment(
            ["GATEWAY_ISSUER": "https://login.staging.example/x"], requiresClient: false)
        let credential = OAuthCredential.clientCredentials(id: "me", secret: "s", tokenURL: Self.tokenURL)
        try await server.api(.init(depotAuth: credential.at(environment))).read()
        #expect(server.tokenURLs == ["https://login.staging.example/x/token"])
    }

    @Test func withoutVariablesNothingIsReplaced() async throws {
        let environment = try GatewayEnvironment([:], requiresClient: false)
        #expect(
            BookshopClient.Server(environment, or: .sandbox).url == "https://sandbox.bookshop.example/v1")
        let server = DepotServer()
        let credential = OAuthCredential.clientCredentials(id: "me", secret: "s", tokenURL: Self.tokenURL)
        try await server.api(.init(depotAuth: credential.at(environment))).read()
        #expect(server.tokenURLs == [Self.tokenURL])
    }

    /// Where operations have servers of their own, no credential goes to production.
    @Test func allOperationsGoToTheServerOfTheEnvironment() async throws {
        let server = DepotServer()
        let environment = try GatewayEnvironment(["GATEWAY_BASE_URL": "https://staging.example/depot/"])
        let api = DepotClient(
            server: .init(environment, or: .init(url: "https://api.depot.example")),
            credentials: .init(
                depotAuth: .token("t"), options: .init(origins: ["https://files.depot.example"])),
            engine: server.engine())
        try await api.read()
        try await api.files()
        #expect(
            server.calls.map { $0.origin.description + $0.target }
                == ["https://staging.example/depot/read", "https://staging.example/depot/files"])
    }

    @Test func credentialsAreNotSentOverPlainHTTP() async throws {
        let server = DepotServer()
        let environment = try GatewayEnvironment(["GATEWAY_BASE_URL": "http://staging.example"])
        let api = DepotClient(
            server: .init(environment, or: .init(url: "https://api.depot.example")),
            credentials: .init(depotAuth: .token("t")), engine: server.engine())
        #expect(await failure { try await api.read() }?.code == .insecureOrigin)
        #expect(server.calls.isEmpty)
        let error = #expect(throws: GatewayEnvironmentError.self) {
            try GatewayEnvironment(
                ["GATEWAY_TOKEN_URL": "http://auth.staging.example/token"], requiresClient: false)
        }
        #expect(error?.problems.map(\.variable) == ["GATEWAY_TOKEN_URL"])
    }

    /// Somebody has forgotten the client, unless the program says that it has it in code.
    @Test func urlsWithoutAClientAreAnError() throws {
        let variables = ["GATEWAY_BASE_URL": "https://api.example", "GATEWAY_TOKEN_URL": Self.tokenURL]
        let error = #expect(throws: GatewayEnvironmentError.self) { try GatewayEnvironment(variables) }
        #expect(error?.problems.contains { $0.variable == "GATEWAY_CLIENT_ID" } == true)
        #expect(try GatewayEnvironment(variables, requiresClient: false).tokenKey == nil)
        // A client is still checked.
        let half = variables.merging(["GATEWAY_SCOPE": "read"]) { $1 }
        #expect(throws: GatewayEnvironmentError.self) {
            try GatewayEnvironment(half, requiresClient: false)
        }
    }
}
