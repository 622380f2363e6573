import GatewayClient
import GatewayTesting
import Testing

/// Calls by what the environment says, through a whole stack to a gateway.
@Suite(.timeLimit(.minutes(2))) struct EnvironmentCallTests {
    private let gateway: EmbeddedGateway
    private let folder: TemporaryFolder

    init() throws {
        gateway = try EmbeddedGateway.start()
        folder = try TemporaryFolder()
    }

    private func client() throws -> [String: String] {
        [
            "GATEWAY_BASE_URL": gateway.apiURL, "GATEWAY_TOKEN_URL": gateway.tokenURL,
            "GATEWAY_CLIENT_ID": gateway.client.id,
            "GATEWAY_CLIENT_SECRET_FILE": try folder.file("secret", gateway.client.secret.exposed + "\n"),
        ]
    }

    private func status(_ engine: GatewayEngine, _ url: String? = nil) async throws -> Int {
        try await engine.send(try HTTPRequest(.get, url ?? "\(gateway.apiURL)/books/bk-1")).status
    }

    @Test(arguments: ["basic", "post"]) func clientCredentials(style: String) async throws {
        defer { gateway.shutdown() }
        var variables = try client()
        variables["GATEWAY_CLIENT_AUTH"] = style
        variables["GATEWAY_SCOPE"] = "books:read"
        let engine = try GatewayEnvironment(variables).configuration().makeEngine()
        #expect(try await status(engine) == 200)
        gateway.revokeCurrentTokens()
        #expect(try await status(engine) == 200)
        #expect(gateway.statistics.tokenRequests["client_credentials"] == 2)
    }

    @Test func noCredentialForOtherOrigins() async throws {
        defer { gateway.shutdown() }
        let engine = try GatewayEnvironment(try client()).configuration().makeEngine()
        let other = "http://localhost:\(gateway.origin.port)/v1/books/bk-1"
        #expect(try await status(engine, other) == 401)
        #expect(gateway.statistics.tokenRequestCount == 0)
    }

    @Test func aRefreshToken() async throws {
        defer { gateway.shutdown() }
        var variables = try client()
        variables["GATEWAY_REFRESH_TOKEN"] = try gateway.signIn().refreshToken.exposed
        let engine = try GatewayEnvironment(variables).configuration().makeEngine()
        #expect(try await status(engine) == 200)
        #expect(gateway.statistics.tokenRequests["refresh_token"] == 1)
    }

    @Test func aTokenFileIsReadAnew() async throws {
        defer { gateway.shutdown() }
        let path = try folder.file("token", try gateway.issueAccessToken().token.exposed)
        let engine = try GatewayEnvironment([
            "GATEWAY_ORIGINS": "\(gateway.origin)", "GATEWAY_TOKEN_FILE": path,
        ]).configuration().makeEngine()
        #expect(try await status(engine) == 200)
        gateway.revokeCurrentTokens()
        try folder.file("token", try gateway.issueAccessToken().token.exposed + "\n")
        #expect(try await status(engine) == 200)
    }

    @Test func aFixedToken() async throws {
        defer { gateway.shutdown() }
        let engine = try GatewayEnvironment([
            "GATEWAY_ORIGINS": "\(gateway.origin)",
            "GATEWAY_TOKEN": try gateway.issueAccessToken().token.exposed,
        ]).configuration().makeEngine()
        #expect(try await status(engine) == 200)
        gateway.revokeCurrentTokens()
        await #expect(throws: NetworkError.self) { try await status(engine) }
    }

    @Test func aStoreOutlivesTheEngine() async throws {
        defer { gateway.shutdown() }
        var variables = try client()
        variables["GATEWAY_TOKEN_STORE"] = folder.path + "/tokens"
        for _ in 1...2 {
            let configuration = try GatewayEnvironment(variables).configuration()
            #expect(try await status(configuration.makeEngine()) == 200)
            if let key = try GatewayEnvironment(variables).tokenKey {
                try await configuration.authentication?.coordinator?.waitUntilStored(key)
            }
        }
        #expect(gateway.statistics.tokenRequestCount == 1)
    }

    @Test func aStoreOfTheProgramsOwn() async throws {
        defer { gateway.shutdown() }
        var variables = try client()
        variables["GATEWAY_TOKEN_STORE"] = "memory://here"
        variables["GATEWAY_TOKEN_STORE_PASSWORD_FILE"] = try folder.file("password", "opens\n")
        let store = MemoryTokenStore()
        let environment = try GatewayEnvironment(
            variables,
            stores: [
                "memory": { url, password in
                    #expect(url == "memory://here" && password == Secret("opens"))
                    return store
                }
            ])
        let configuration = environment.configuration()
        #expect(try await status(configuration.makeEngine()) == 200)
        let key = try #require(environment.tokenKey)
        try await configuration.authentication?.coordinator?.waitUntilStored(key)
        #expect(try await store.load(key) != nil)
    }

    @Test(arguments: ["openid", "oauth"]) func anIssuerIsFoundByItsName(convention: String) async throws {
        defer { gateway.shutdown() }
        var variables = try client()
        variables["GATEWAY_TOKEN_URL"] = nil
        variables["GATEWAY_ISSUER"] = "\(gateway.tokenOrigin)"
        variables["GATEWAY_DISCOVERY"] = convention
        let engine = try GatewayEnvironment(variables).configuration().makeEngine()
        #expect(try await status(engine) == 200)
        #expect(gateway.statistics.tokenRequests["client_credentials"] == 1)
    }

    @Test func aClientSecretIsReadAnew() async throws {
        defer { gateway.shutdown() }
        let variables = try client()
        let engine = try GatewayEnvironment(variables).configuration().makeEngine()
        try folder.file("secret", "another")
        await #expect(throws: NetworkError.self) { try await status(engine) }
        try folder.file("secret", gateway.client.secret.exposed)
        let other = try GatewayEnvironment(variables).configuration().makeEngine()
        #expect(try await status(other) == 200)
    }
}
