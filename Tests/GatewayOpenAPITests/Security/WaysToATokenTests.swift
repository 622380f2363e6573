import GatewayAuth
import GatewayClient
import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayOpenAPI

/// What tokens of a generated client can be had by, and where the requests for them go.
@Suite(.timeLimit(.minutes(1))) struct WaysToATokenTests {
    private static let client = ClientAuthentication.publicClient(clientID: "app")
    private static let clientToken = "https://auth.depot.example/token"
    private static let peopleToken = "https://people.depot.example/token"
    private static let refresh = "https://people.depot.example/refresh"

    /// Calls `read` and gives the form of the token request.
    private func form(
        _ credential: OAuthCredential, expecting url: String = clientToken
    ) async throws -> [String: String] {
        let server = DepotServer()
        try await server.api(.init(depotAuth: credential)).read()
        #expect(server.tokenURLs == [url])
        #expect(server.authorizations == ["Bearer \(server.tokenForms[0]["scope"] ?? "all")/1"])
        return server.tokenForms.first ?? [:]
    }

    @Test func theDocumentSaysWhereTokensComeFrom() async throws {
        #expect(
            try await form(.clientCredentials(id: "me", secret: "s3cret"))
                == ["grant_type": "client_credentials", "scope": "read"])
        #expect(
            try await form(.clientCredentials(.post(clientID: "me", secret: Secret("s3cret"))))
                == [
                    "grant_type": "client_credentials", "scope": "read", "client_id": "me",
                    "client_secret": "s3cret",
                ])
        #expect(
            try await form(.refreshToken("r3fresh", clientID: "app"), expecting: Self.refresh)
                == ["grant_type": "refresh_token", "refresh_token": "r3fresh", "client_id": "app"])
        #expect(
            try await form(.jwtBearer(.fixed(Secret("a.b.c")), client: Self.client))
                == [
                    "grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": "a.b.c",
                    "scope": "read", "client_id": "app",
                ])
        #expect(
            try await form(.grant(client: Self.client) { ClientCredentials(endpoint: $0) })
                == ["grant_type": "client_credentials", "scope": "read", "client_id": "app"])
    }

    @Test func anAssertionIsSignedForTheEndpointOfTheDocument() async throws {
        let key = try JSONWebTokenKey(secret: Array(repeating: 7, count: 32), algorithm: .hs256)
        let sent = try await form(
            .clientCredentials(try .clientSecretJWT(clientID: "me", key: key)))
        let assertion = Secret(try #require(sent["client_assertion"]))
        let claims = try JSONWebToken.verify(assertion, key: key).claims
        #expect(claims["aud"]?.string == Self.clientToken && claims["sub"]?.string == "me")
        #expect(throws: NetworkError.self) {
            try OAuthCredential.clientCredentials(id: "me", privateKeyJWT: key)
        }
    }

    @Test func theCredentialMayNameTheEndpoint() async throws {
        let elsewhere = "https://other.example/token"
        for credential in [
            OAuthCredential.clientCredentials(id: "me", secret: "s", tokenURL: elsewhere),
            .clientCredentials(id: "me", secret: "s").at(tokenURL: elsewhere),
        ] { _ = try await form(credential, expecting: elsewhere) }
        _ = try await form(
            .clientCredentials(id: "me", secret: "s").at(issuer: "https://issuer.example/x"),
            expecting: "https://issuer.example/x/token")
    }

    @Test func tokensOfOnesOwn() async throws {
        let server = DepotServer()
        for credential in [
            OAuthCredential.token("a"), .provider(StaticTokenProvider(Secret("b"))),
            .acquirer(ProviderAcquirer(StaticTokenProvider(Secret("c")))),
            .coordinator(TokenRefreshCoordinator(provider: StaticTokenProvider(Secret("d")))),
        ] {
            try await server.api(.init(depotAuth: credential)).read()
            try await server.api(.init(depotLogin: credential)).identity()
            try await server.api(.init(partner: .oauth(credential))).partner()
        }
        #expect(
            server.authorizations
                == ["a", "b", "c", "d"].flatMap { token in
                    (0..<3).map { _ in "Bearer \(token)" }
                })
        #expect(server.tokenForms.isEmpty)
    }

    /// Roles are not scopes, and a bearer scheme names no endpoint.
    @Test func aBearerSchemeTakesAnyWay() async throws {
        let server = DepotServer()
        let credential = OAuthCredential.clientCredentials(id: "me", secret: "s")
        try await server.api(
            .init(partner: .oauth(credential.at(tokenURL: Self.peopleToken)))
        ).partner()
        #expect(server.tokenForms == [["grant_type": "client_credentials"]])
        let lost = await failure { try await server.api(.init(partner: .oauth(credential))).partner() }
        #expect(lost?.code == .credentialMisconfigured)
        #expect(server.calls.count == 1)
    }

    @Test func whatTokensAreForIsSaid() async throws {
        let sent = try await form(
            .clientCredentials(id: "me", secret: "s").audiences(["b"]).resources(["urn:a"]).subject("anna"))
        #expect(sent["audience"] == "b" && sent["resource"] == "urn:a")
    }

    // MARK: Issuers

    @Test func anIssuerIsDiscoveredByTheDocument() async throws {
        let server = DepotServer()
        let api = server.api(.init(depotLogin: .clientCredentials(id: "me", secret: "s")))
        try await api.identity()
        #expect(server.tokenURLs == ["https://login.depot.example/shop/token"])
        #expect(server.tokenForms.first?["scope"] == "openid")
    }

    /// The URL of the metadata does not tell whether the issuer's name ends in a slash.
    @Test func anIssuerMayEndInASlash() async throws {
        let metadata =
            #"{"issuer":"https://login.depot.example/shop/","token_endpoint":"https://login.depot.example/t"}"#
        let engine = ScriptedEngine { request, _ in
            switch request.target {
            case "/t": .json(200, #"{"access_token":"t","token_type":"Bearer"}"#)
            case "/identity": .status(204)
            default: .json(200, metadata)
            }
        }
        let credential = OAuthCredential.clientCredentials(id: "me", secret: "s")
        let authenticated = AuthenticatedRequestEngine(below: engine)
        try await DepotClient(credentials: .init(depotLogin: credential), engine: authenticated).identity()
        #expect(engine.requests.last?.fields[.authorization] == "Bearer t")
        // Who names it means it.
        let named = credential.at(issuer: "https://login.depot.example/shop")
        let strict = DepotClient(credentials: .init(depotLogin: named), engine: authenticated)
        #expect(await failure { try await strict.identity() }?.code == .credentialMisconfigured)
    }

    @Test(arguments: [
        "https://evil.example", "https://login.depot.example", "https://login.depot.example/shop//",
    ])
    func anotherIssuersMetadataIsRefused(issuer: String) async throws {
        let engine = ScriptedEngine(
            .json(200, #"{"issuer":"\#(issuer)","token_endpoint":"https://login.depot.example/token"}"#))
        let api = DepotClient(
            credentials: .init(depotLogin: .clientCredentials(id: "me", secret: "s3cret")),
            engine: AuthenticatedRequestEngine(below: engine))
        let error = await failure { try await api.identity() }
        #expect(error?.code == .credentialMisconfigured)
        #expect(engine.requests.map(\.origin.host) == ["login.depot.example"])
    }

    @Test(arguments: [
        ("https://a.example/.well-known/openid-configuration", "https://a.example"),
        ("https://a.example/t/.well-known/openid-configuration", "https://a.example/t"),
        ("https://a.example/.well-known/oauth-authorization-server", "https://a.example"),
        ("https://a.example/.well-known/oauth-authorization-server/t", "https://a.example/t"),
        ("https://a.example/.well-known/oauth-authorization-servers", nil),
        ("https://a.example/metadata", nil), ("", nil),
    ])
    func anIssuerStandsInTheURLOfItsMetadata(url: String, issuer: String?) {
        #expect(DocumentedTokens.issuer(url)?.name == issuer)
    }

    @Test func aRelativeEndpointIsAtTheServer() throws {
        let server = try Origin("https://api.test:8443")
        #expect(DocumentedTokens.absolute("/token", server) == "https://api.test:8443/token")
        #expect(DocumentedTokens.absolute("//evil.test/token", server) == "//evil.test/token")
        #expect(DocumentedTokens.absolute("https://a.test/token", server) == "https://a.test/token")
    }

    // MARK: Bound tokens

    @Test func boundTokensCarryTheirProofs() async throws {
        let server = DepotServer()
        server.state.withLock { $0.type = "DPoP" }
        let credential = OAuthCredential.clientCredentials(id: "me", secret: "s").bound(
            to: try DPoPBinding())
        try await server.api(.init(depotAuth: credential, headerKey: "k")).both()
        let call = try #require(server.calls.first)
        #expect(call.fields[.authorization] == "DPoP read/1")
        #expect(call.fields["DPoP"] != nil && call.fields["X-Depot-Key"] == "k")
    }

    @Test func aBoundTokenIsNeverSentAsABearerToken() async throws {
        struct Acquirer: TokenAcquirer {
            func acquire(_ request: TokenRequest) async throws -> TokenGrant {
                TokenGrant(accessToken: Secret("bound"), type: .dpop)
            }
        }
        let server = DepotServer()
        for credential in [
            OAuthCredential.acquirer(Acquirer()),
            .coordinator(TokenRefreshCoordinator(acquirer: Acquirer())),
            .grant(client: Self.client) { _ in Acquirer() },
        ] {
            let api = server.api(.init(depotAuth: credential, headerKey: "k"))
            #expect(await failure { try await api.read() }?.code == .credentialMisconfigured)
            #expect(await failure { try await api.both() }?.code == .credentialMisconfigured)
        }
        server.state.withLock { $0.type = "DPoP" }
        let unbound = server.api(.init(depotAuth: .clientCredentials(id: "me", secret: "s")))
        #expect(await failure { try await unbound.read() }?.category == .authentication)
        #expect(server.calls.isEmpty)
    }

    @Test func whatBringsItsOwnBindingTakesNoOther() async throws {
        let server = DepotServer()
        let binding = try DPoPBinding()
        let acquirer = ProviderAcquirer(StaticTokenProvider(Secret("t")))
        for credential in [
            OAuthCredential.acquirer(acquirer), .provider(StaticTokenProvider(Secret("t"))), .token("t"),
            .coordinator(TokenRefreshCoordinator(acquirer: acquirer)),
        ] {
            let api = server.api(.init(depotAuth: credential.bound(to: binding)))
            #expect(await failure { try await api.read() }?.code == .credentialMisconfigured)
        }
        #expect(server.calls.isEmpty)
    }

    // MARK: Sharing

    @Test func clientsThatAreGivenTheSameValueShareItsTokens() async throws {
        let server = DepotServer()
        let engine = server.engine()
        let credential = OAuthCredential.refreshToken("r3fresh", clientID: "app")
        for _ in 0..<3 {
            try await DepotClient(credentials: .init(depotAuth: credential), engine: engine).read()
        }
        #expect(server.tokenForms.count == 1)
        try await DepotClient(
            credentials: .init(depotAuth: .refreshToken("r3fresh", clientID: "app")), engine: engine
        ).read()
        #expect(server.tokenForms.count == 2)
    }

    @Test func aStoreOutlivesItsClient() async throws {
        let (server, store) = (DepotServer(), MemoryTokenStore())
        server.state.withLock { $0.granted = "all" }
        for _ in 0..<2 {
            let credential = OAuthCredential.refreshToken("r3fresh", clientID: "app")
            let api = server.api(.init(depotAuth: credential.stored(in: store, for: "anna")))
            try await api.read()
        }
        let provider = OAuthCredential.provider(StaticTokenProvider(Secret("t")))
        let refused = server.api(.init(depotAuth: provider.stored(in: store, for: "anna")))
        #expect(await failure { try await refused.read() }?.code == .credentialMisconfigured)
        #expect(server.tokenForms.allSatisfy { $0["grant_type"] == "refresh_token" })
    }

    // MARK: Endpoints that get no secret

    @Test(arguments: [
        ("http://auth.test/token", NetworkError.insecureOrigin), ("http://localhost/token", .insecureOrigin),
        ("nonsense", .invalidURL),
    ])
    func anEndpointThatIsNotSafeIsALocalError(url: String, code: NetworkError.Code) async throws {
        let server = DepotServer()
        for credential in [
            OAuthCredential.clientCredentials(id: "me", secret: "s").at(tokenURL: url),
            .clientCredentials(id: "me", secret: "s").at(issuer: url),
            .refreshToken("r", clientID: "me").at(tokenURL: url),
            .login(OAuthLogin(clientID: "me")).at(tokenURL: url),
        ] {
            let error = await failure { try await server.api(.init(depotAuth: credential)).read() }
            #expect(error?.code == code)
        }
        #expect(server.calls.isEmpty && server.tokenForms.isEmpty)
    }

    @Test func nothingIsPrinted() throws {
        let credentials = DepotClient.Credentials(
            cookieKey: "s3cret", depotAuth: .clientCredentials(id: "me", secret: "s3cret"),
            depotLogin: .refreshToken("s3cret", clientID: "me"), partner: .token("s3cret"),
            signature: .custom { $0.fields["X"] = "s3cret" })
        let client = DepotClient(
            server: .init(url: "https://api.depot.example/?key=s3cret", everywhere: false),
            credentials: credentials,
            defaults: CallOptions(idempotencyKey: "s3cret", fields: ["X": "s3cret"]),
            engine: DepotServer().engine())
        for value: Any in [credentials, client] {
            var text = "\(value)" + String(reflecting: value)
            dump(value, to: &text)
            #expect(!text.contains("s3cret"))
        }
    }
}
