import GatewayClient
import GatewayTesting
import Testing

/// Sign-in, sign-out, and the client authentication that an issuer's metadata decides, by the environment.
@Suite(.timeLimit(.minutes(2))) struct EnvironmentSignInTests {
    private let gateway: EmbeddedGateway
    private let folder: TemporaryFolder

    init() throws {
        var configuration = EmbeddedGateway.Configuration()
        configuration.clients[0].redirectURIs = ["http://localhost/cb", "http://127.0.0.1/callback"]
        configuration.clients[0].scopes.append("openid")
        gateway = try EmbeddedGateway.start(configuration)
        folder = try TemporaryFolder()
    }

    /// A client that is found by its issuer; no API is named.
    private func variables(_ more: [String: String] = [:]) throws -> [String: String] {
        [
            "GATEWAY_ISSUER": "\(gateway.tokenOrigin)", "GATEWAY_CLIENT_ID": gateway.client.id,
            "GATEWAY_CLIENT_SECRET_FILE": try folder.file("secret", gateway.client.secret.exposed),
            "GATEWAY_GRANT": "authorization_code", "GATEWAY_TOKEN_STORE": folder.path + "/tokens",
        ].merging(more) { $1 }
    }

    /// The same with the URLs of its endpoints.
    private func explicit(_ more: [String: String] = [:]) throws -> [String: String] {
        let origin = "\(gateway.tokenOrigin)"
        return try variables([
            "GATEWAY_ISSUER": "", "GATEWAY_TOKEN_URL": gateway.tokenURL,
            "GATEWAY_AUTHORIZATION_URL": origin + "/oauth/authorize",
        ]).merging(more) { $1 }
    }

    private func environment(_ variables: [String: String]) throws -> GatewayEnvironment {
        try GatewayEnvironment(variables, requiresOrigins: false)
    }

    private static func browse(_ url: String) async throws {
        let browser = CurlTransport()
        let redirect = try await browser.send(try HTTPRequest(.get, url), context: RequestContext())
        let place = try #require(redirect.fields[.location], "status \(redirect.status)")
        _ = try await browser.send(try HTTPRequest(.get, place), context: RequestContext())
    }

    /// Signs in as the command does.
    @discardableResult
    private func signIn(
        _ environment: GatewayEnvironment, watching watch: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws -> TokenGrant {
        let flow = try #require(try await environment.authorizationCode())
        let key = try #require(environment.tokenKey)
        let grant = try await flow.grant(for: key, deadline: .after(.seconds(20))) { url in
            watch(url)
            try await Self.browse(url)
        }
        let coordinator = try #require(environment.configuration().authentication?.coordinator)
        coordinator.signIn(key, with: grant)
        try await coordinator.waitUntilStored(key)
        return grant
    }

    private func token(_ environment: GatewayEnvironment) async throws -> Secret {
        let coordinator = try #require(environment.configuration().authentication?.coordinator)
        return try await coordinator.token(for: try #require(environment.tokenKey)).accessToken
    }

    // MARK: Sign-in

    @Test func aBrowserSignsInAndTheStoreKeepsIt() async throws {
        defer { gateway.shutdown() }
        let urls = Locked<[String]>([])
        let settings = try variables([
            "GATEWAY_REDIRECT_URI": "http://localhost/cb", "GATEWAY_SCOPE": "openid books:read",
            "GATEWAY_AUTHORIZATION_PARAMETERS": "prompt=login&ui_locales=de+en",
        ])
        let environment = try environment(settings)
        let grant = try await signIn(environment) { url in urls.withLock { $0.append(url) } }
        #expect(grant.idToken != nil)
        #expect(try await token(environment) == grant.accessToken)
        // Another program of the same person.
        let other = try self.environment(settings)
        #expect(try await token(other) == grant.accessToken)
        let url = urls.withLock { $0.first } ?? ""
        #expect(url.contains("redirect_uri=http%3A%2F%2Flocalhost%3A") && url.contains("%2Fcb&"))
        #expect(url.contains("&prompt=login&ui_locales=de+en") && url.contains("&nonce="))
        #expect(environment.signInKind == .browser)
    }

    /// The embedded gateway names its issuer in the response. With endpoints in place of an issuer there is nothing to compare
    /// it with, and only one server.
    @Test func anAuthorizationURLIsUsed() async throws {
        defer { gateway.shutdown() }
        let environment = try environment(try explicit())
        let grant = try await signIn(environment)
        #expect(try await token(environment) == grant.accessToken)
    }

    /// A person's browser is not in the mesh.
    @Test func anAuthorizationURLOverPlainHTTPIsRefused() async throws {
        defer { gateway.shutdown() }
        var variables = try explicit()
        variables["GATEWAY_AUTHORIZATION_URL"] = "http://login.auth.svc/authorize"
        variables["GATEWAY_PLAIN_HTTP_HOSTS"] = "login.auth.svc"
        let error = #expect(throws: GatewayEnvironmentError.self) { try environment(variables) }
        #expect(error?.problems.map(\.variable) == ["GATEWAY_AUTHORIZATION_URL"])
    }

    @Test func otherGrantsHaveNoSignIn() async throws {
        defer { gateway.shutdown() }
        let environment = try environment(
            try variables(["GATEWAY_GRANT": "client_credentials", "GATEWAY_TOKEN_STORE": ""]))
        #expect(try await environment.authorizationCode() == nil)
        #expect(try await environment.deviceAuthorization() == nil)
        #expect(try await environment.signOut(deadline: .after(.seconds(60))) == nil)
    }

    /// Both ways need the same variables but for the endpoint, so that one environment does for both.
    @Test func bothWaysShareAnEnvironment() async throws {
        defer { gateway.shutdown() }
        for grant in ["authorization_code", "device_code"] {
            let environment = try environment(try variables(["GATEWAY_GRANT": grant]))
            #expect(try await environment.authorizationCode() != nil)
            #expect(try await environment.deviceAuthorization() != nil)
        }
        let environment = try environment(
            try explicit([
                "GATEWAY_GRANT": "device_code", "GATEWAY_AUTHORIZATION_URL": "",
                "GATEWAY_DEVICE_URL": "\(gateway.tokenOrigin)/oauth/device_authorization",
            ]))
        let error = await #expect(throws: NetworkError.self) { try await environment.authorizationCode() }
        #expect(error?.message.contains("GATEWAY_AUTHORIZATION_URL") == true)
    }

    // MARK: Origins

    @Test func aCredentialNeedsAnOriginOnlyForCalls() throws {
        defer { gateway.shutdown() }
        let error = #expect(throws: GatewayEnvironmentError.self) { try GatewayEnvironment(try variables()) }
        #expect(error?.problems.map(\.variable) == ["GATEWAY_ORIGINS"])
        #expect(try environment(try variables()).tokenKey != nil)
    }

    // MARK: Sign-out

    private func signOut(_ environment: GatewayEnvironment) async throws -> GatewayEnvironment.SignOutResult {
        try #require(try await environment.signOut(deadline: .after(.seconds(10))))
    }

    /// As `gateway logout` does, which has no token in memory.
    @Test func aSignOutRemovesTheStoredResponsesOfTheAccount() async throws {
        defer { gateway.shutdown() }
        let store = MemoryCacheStore()
        let environment = try GatewayEnvironment(
            try variables(["GATEWAY_CACHE": "mine:"]), caches: ["mine": { _ in store }],
            requiresOrigins: false)
        try await signIn(environment)
        let coordinator = try #require(environment.configuration().authentication?.coordinator)
        let lease = try await coordinator.token(for: try #require(environment.tokenKey))
        let account = try #require(lease.stamp.identity.account)
        for (id, owner) in [CachePartition.Owner.account(account), .account("other")].enumerated() {
            let head = CachedHead(
                id: .init(UInt64(id)), status: 200, fields: [:], requested: .zero, received: .zero,
                selecting: [:], bodyBytes: 0, isDecoded: false)
            let key = CacheKey(
                partition: CachePartition(owner: owner), origin: gateway.origin, target: "/\(id)")
            store.put(head, body: [], for: key, replacing: [])
        }
        guard case .revoked = try await signOut(environment) else {
            Issue.record("not revoked")
            return
        }
        #expect(store.count == 1)
    }

    @Test func aSignOutDeletesAndRevokes() async throws {
        defer { gateway.shutdown() }
        let environment = try environment(try variables())
        guard case .notSignedIn = try await signOut(environment) else {
            Issue.record("nobody has signed in")
            return
        }
        let grant = try await signIn(environment)
        // Another program of the same person has the token at hand.
        let program = try self.environment(try variables())
        let other = try #require(program.configuration().authentication?.coordinator)
        let key = try #require(environment.tokenKey)
        _ = try await other.token(for: key)
        guard case .revoked = try await signOut(environment) else {
            Issue.record("not revoked")
            return
        }
        var request = try HTTPRequest(.get, "\(gateway.apiURL)/books/bk-1")
        request.fields[.authorization] = "Bearer " + grant.accessToken.exposed
        #expect(try await CurlTransport().send(request, context: RequestContext()).status == 401)
        let error = await #expect(throws: NetworkError.self) { try await token(environment) }
        #expect(error?.code == .signedOut)
        guard case .notSignedIn = try await signOut(environment) else {
            Issue.record("signed out twice")
            return
        }
        #expect(try await signIn(environment).accessToken == token(environment))
    }

    /// Its tokens are those of all engines of the environment.
    @Test func aSignOutEndsTheEnginesThatRun() async throws {
        defer { gateway.shutdown() }
        let seen = Locked<[String]>([])
        gateway.route(.get, "/seen", access: .open) { request in
            seen.withLock { $0.append(request.fields[.authorization] ?? "none") }
            return .json([:])
        }
        let environment = try environment(try variables(["GATEWAY_ORIGINS": "\(gateway.origin)"]))
        let engine = try environment.configuration().makeEngine()
        let request = try HTTPRequest(.get, "\(gateway.origin)/seen")
        let grant = try await signIn(environment)
        #expect(try await engine.send(request).status == 200)
        guard case .revoked = try await signOut(environment) else {
            Issue.record("not revoked")
            return
        }
        let health = await engine.health()
        #expect(health.tokens.map(\.usable) == [0] && !health.isReady)
        for other in [engine, try environment.configuration().makeEngine()] {
            let error = await #expect(throws: NetworkError.self) { try await other.send(request) }
            #expect(error?.code == .signedOut)
        }
        let warmUp = await #expect(throws: NetworkError.self) { try await engine.warmUp() }
        #expect(warmUp?.code == .signedOut)
        let next = try await signIn(environment)
        #expect(try await engine.send(request).status == 200)
        #expect(seen.withLock { $0 } == [grant, next].map { "Bearer " + $0.accessToken.exposed })
    }

    /// The store has no record of a sign-in yet: the sign-out must not be overtaken by it.
    @Test func aSignOutEndsASignInThatIsNotStored() async throws {
        defer { gateway.shutdown() }
        let environment = try environment(try variables())
        let key = try #require(environment.tokenKey)
        let coordinator = try #require(environment.configuration().authentication?.coordinator)
        coordinator.signIn(key, with: TokenGrant(accessToken: Secret("a"), refreshToken: Secret("r")))
        _ = try await signOut(environment)
        try await coordinator.waitUntilStored(key)
        for program in [environment, try self.environment(try variables())] {
            let error = await #expect(throws: NetworkError.self) { try await token(program) }
            #expect(error?.code == .signedOut)
        }
    }

    @Test func withoutARevocationEndpointTheStoreForgets() async throws {
        defer { gateway.shutdown() }
        let known = try environment(try explicit())
        let key = try #require(known.tokenKey)
        let coordinator = try #require(known.configuration().authentication?.coordinator)
        coordinator.signIn(key, with: TokenGrant(accessToken: Secret("a"), refreshToken: Secret("r")))
        try await coordinator.waitUntilStored(key)
        guard case .notRevocable = try await signOut(known) else {
            Issue.record("there is no revocation endpoint")
            return
        }
        let error = await #expect(throws: NetworkError.self) { try await token(known) }
        #expect(error?.code == .signedOut)
    }

    @Test(arguments: [true, false]) func aServerThatIsDownKeepsNobodySignedIn(byIssuer: Bool) async throws {
        let revocation = ["GATEWAY_REVOCATION_URL": "\(gateway.tokenOrigin)/oauth/revoke"]
        let environment = try environment(byIssuer ? try variables() : try explicit(revocation))
        let key = try #require(environment.tokenKey)
        let coordinator = try #require(environment.configuration().authentication?.coordinator)
        coordinator.signIn(key, with: TokenGrant(accessToken: Secret("a"), refreshToken: Secret("r")))
        try await coordinator.waitUntilStored(key)
        gateway.shutdown()
        guard case .revocationFailed(let failure) = try await signOut(environment) else {
            Issue.record("the server is down")
            return
        }
        #expect(failure.code == .tokenUnavailable)
        let error = await #expect(throws: NetworkError.self) { try await token(environment) }
        #expect(error?.code == .signedOut)
    }

    // MARK: Client authentication

    /// An issuer whose metadata lists other methods, and how the token request authenticated.
    private func authentication(_ methods: JSONValue, _ more: [String: String] = [:]) async throws -> String {
        let issuer = "\(gateway.origin)/issuer"
        let seen = Locked<String?>(nil)
        gateway.route(.get, "/issuer/.well-known/openid-configuration") { _ in
            .json([
                "issuer": .string(issuer), "token_endpoint": .string(issuer + "/token"),
                "token_endpoint_auth_methods_supported": methods,
            ])
        }
        gateway.route(.post, "/issuer/token") { request in
            let body = String(decoding: request.body, as: UTF8.self)
            let style =
                request.fields[.authorization] != nil
                ? "basic"
                : body.contains("client_secret=") ? "post" : body.contains("client_assertion=") ? "key" : "?"
            seen.withLock { $0 = style }
            return .json(["access_token": "t", "token_type": "Bearer"])
        }
        let environment = try environment(
            try variables([
                "GATEWAY_ISSUER": issuer, "GATEWAY_GRANT": "client_credentials", "GATEWAY_TOKEN_STORE": "",
            ]).merging(more) { $1 })
        _ = try await token(environment)
        return try #require(seen.withLock { $0 })
    }

    @Test func theIssuersMetadataDecidesTheStyle() async throws {
        defer { gateway.shutdown() }
        #expect(try await authentication(["client_secret_post"]) == "post")
        #expect(try await authentication(["client_secret_post", "client_secret_basic"]) == "basic")
        #expect(try await authentication(.null) == "basic")
        // What is configured is not changed.
        let basic = ["GATEWAY_CLIENT_AUTH": "basic"]
        #expect(try await authentication(["client_secret_post"], basic) == "basic")
    }

    @Test func aKeyThatTheIssuerDoesNotSupportIsAnError() async throws {
        defer { gateway.shutdown() }
        let key = [
            "GATEWAY_CLIENT_SECRET_FILE": "",
            "GATEWAY_SIGNING_KEY_FILE": try folder.file("key", EnvironmentGrantTests.key),
            "GATEWAY_SIGNING_ALGORITHM": "ES256",
        ]
        #expect(try await authentication(["private_key_jwt"], key) == "key")
        let error = await #expect(throws: NetworkError.self) {
            try await authentication(["client_secret_post", "tls_client_auth"], key)
        }
        #expect(error?.code == .credentialMisconfigured)
        #expect(error?.message.contains("It supports: client_secret_post, tls_client_auth.") == true)
    }
}
