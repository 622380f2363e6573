import GatewayClient
import GatewayTesting
import Testing

/// Grants by what the environment says: assertions, exchanges and tokens that are bound to a key.
@Suite(.timeLimit(.minutes(2))) struct EnvironmentGrantTests {
    private let gateway: EmbeddedGateway
    private let folder: TemporaryFolder

    init() throws {
        var configuration = EmbeddedGateway.Configuration()
        configuration.binding = .offered
        let key = try JSONWebTokenKey(pem: Secret(Self.publicKey), algorithm: .es256)
        configuration.trustedIssuers = ["partner": key, "bookshop-service": key]
        gateway = try EmbeddedGateway.start(configuration)
        folder = try TemporaryFolder()
    }

    private func status(_ engine: GatewayEngine) async throws -> Int {
        try await engine.send(try HTTPRequest(.get, "\(gateway.apiURL)/books/bk-1")).status
    }

    private func client(_ more: [String: String]) throws -> [String: String] {
        [
            "GATEWAY_BASE_URL": gateway.apiURL, "GATEWAY_TOKEN_URL": gateway.tokenURL,
            "GATEWAY_CLIENT_ID": gateway.client.id,
            "GATEWAY_CLIENT_SECRET_FILE": try folder.file("secret", gateway.client.secret.exposed),
        ].merging(more) { $1 }
    }

    /// What an environment's tokens say.
    private func token(_ environment: GatewayEnvironment) async throws -> JSONWebToken {
        let coordinator = try #require(environment.configuration().authentication?.coordinator)
        let key = try #require(environment.tokenKey)
        return try JSONWebToken(decoding: try await coordinator.token(for: key).accessToken)
    }

    // MARK: JWT bearer

    @Test(arguments: [nil, "partner"]) func anAssertionIsTraded(issuer: String?) async throws {
        defer { gateway.shutdown() }
        var variables = try client([
            "GATEWAY_GRANT": "jwt_bearer", "GATEWAY_SIGNING_KEY_FILE": try folder.file("key", Self.key),
            "GATEWAY_SIGNING_ALGORITHM": "ES256", "GATEWAY_SCOPE": "books:read",
        ])
        variables["GATEWAY_ASSERTION_ISSUER"] = issuer
        variables["GATEWAY_SUBJECT"] = issuer.map { _ in "reader" }
        let environment = try GatewayEnvironment(variables)
        #expect(environment.tokenKey?.subject == issuer.map { _ in "reader" })
        let engine = try environment.configuration().makeEngine()
        #expect(try await status(engine) == 200)
        // Another assertion each time: none is taken twice.
        gateway.revokeCurrentTokens()
        #expect(try await status(engine) == 200)
        #expect(try await token(environment).subject == issuer.map { _ in "reader" } ?? gateway.client.id)
    }

    @Test func anAssertionOfSomebodyElseIsReadAnew() async throws {
        defer { gateway.shutdown() }
        let path = folder.path + "/assertion"
        let environment = try GatewayEnvironment(
            try client(["GATEWAY_ASSERTION_FILE": try folder.file("assertion", try assertion())]))
        let engine = try environment.configuration().makeEngine()
        #expect(try await status(engine) == 200)
        gateway.revokeCurrentTokens()
        #expect(try folder.file("assertion", try assertion()) == path)
        #expect(try await status(engine) == 200)
    }

    private func assertion() throws -> String {
        let now = SystemClock().unixTime.components.seconds
        return try JSONWebToken.sign(
            claims: [
                "iss": "partner", "sub": "reader", "aud": .string(gateway.tokenURL),
                "jti": .string("\(SystemRandomSource().next())"), "iat": .number(JSONNumber(now)),
                "exp": .number(JSONNumber(now + 60)),
            ], key: JSONWebTokenKey(pem: Secret(Self.key), algorithm: .es256)
        ).exposed
    }

    // MARK: Exchange

    @Test func aTokenIsExchanged() async throws {
        defer { gateway.shutdown() }
        let actor = try gateway.issueAccessToken().token.exposed
        let environment = try GatewayEnvironment(
            try client([
                "GATEWAY_SUBJECT_TOKEN_FILE": try folder.file("subject", try assertion()),
                "GATEWAY_SUBJECT_TOKEN_TYPE": "jwt",
                "GATEWAY_ACTOR_TOKEN_FILE": try folder.file("actor", actor),
                "GATEWAY_REQUESTED_TOKEN_TYPE": "urn:ietf:params:oauth:token-type:jwt",
                "GATEWAY_AUDIENCE": "https://api.example", "GATEWAY_RESOURCE": "https://api.example/b urn:a",
                "GATEWAY_SUBJECT": "somebody", "GATEWAY_TOKEN_STORE": folder.path + "/tokens",
            ]))
        let key = try #require(environment.tokenKey)
        #expect(key.resources == ["https://api.example/b", "urn:a"] && key.subject == "somebody")
        #expect(try await status(environment.configuration().makeEngine()) == 200)
        #expect(gateway.statistics.tokenRequests["urn:ietf:params:oauth:grant-type:token-exchange"] == 1)
        #expect(try await token(environment).subject == "reader")
    }

    @Test func resourcesAreAskedFor() async throws {
        defer { gateway.shutdown() }
        let bodies = Locked<[String]>([])
        gateway.route(.post, "/tokens") { request in
            bodies.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
            return .json(["access_token": "t", "token_type": "Bearer"])
        }
        let environment = try GatewayEnvironment(
            try client([
                "GATEWAY_TOKEN_URL": "\(gateway.origin)/tokens", "GATEWAY_RESOURCE": "https://api.example/b",
                "GATEWAY_AUDIENCE": "api",
            ]))
        let coordinator = try #require(environment.configuration().authentication?.coordinator)
        _ = try await coordinator.token(for: try #require(environment.tokenKey))
        let body = bodies.withLock { $0.joined() }
        #expect(body.contains("resource=https%3A%2F%2Fapi.example%2Fb") && body.contains("audience=api"))
    }

    // MARK: Bound tokens

    @Test(arguments: [false, true]) func tokensAreBoundToTheKey(isDiscovered: Bool) async throws {
        defer { gateway.shutdown() }
        var variables = try client(["GATEWAY_DPOP_KEY_FILE": try folder.file("dpop", Self.key)])
        if isDiscovered {
            variables["GATEWAY_TOKEN_URL"] = nil
            variables["GATEWAY_ISSUER"] = "\(gateway.tokenOrigin)"
        }
        let environment = try GatewayEnvironment(variables)
        let binding = try DPoPBinding(key: JSONWebTokenKey(pem: Secret(Self.key), algorithm: .es256))
        #expect(environment.tokenKey?.binding == binding.thumbprint)
        #expect(try await status(environment.configuration().makeEngine()) == 200)
        guard let confirmation = try await token(environment).claims["cnf"]?.object else {
            Issue.record("The token is not bound.")
            return
        }
        #expect(confirmation["jkt"]?.string == binding.thumbprint)
    }

    // MARK: Clients that sign

    /// Made for these tests and used nowhere else.
    static let key = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQggrXXMgOXKfE/g8e1
        nK7618GPaUt96Qy+9B+gxsAZiN6hRANCAASjGY4oyWCqbpMFTnGhma5WSAJl5quO
        SBSQTTuKXB4+1oGnSTa+uEz93qKGmwBS4EKI8m+oMSnGCCIYzr28V9OY
        -----END PRIVATE KEY-----
        """
    private static let publicKey = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEoxmOKMlgqm6TBU5xoZmuVkgCZear
        jkgUkE07ilwePtaBp0k2vrhM/d6ihpsAUuBCiPJvqDEpxggiGM69vFfTmA==
        -----END PUBLIC KEY-----
        """

    @Test(arguments: [true, false]) func assertionsOfTheClientsOwnAndOfOthers(isOwn: Bool) async throws {
        defer { gateway.shutdown() }
        let token = try gateway.issueAccessToken().token.exposed
        let seen = Locked<[String: String]>([:])
        gateway.route(.post, "/assertions") { request in
            for pair in String(decoding: request.body, as: UTF8.self).split(separator: "&") {
                let parts = pair.split(separator: "=")
                seen.withLock { $0[String(parts[0])] = String(parts[1]) }
            }
            return .json(["access_token": .string(token), "token_type": "Bearer"])
        }
        var variables = [
            "GATEWAY_BASE_URL": gateway.apiURL, "GATEWAY_TOKEN_URL": "\(gateway.origin)/assertions",
            "GATEWAY_CLIENT_ID": "signer",
        ]
        if isOwn {
            variables["GATEWAY_SIGNING_KEY_FILE"] = try folder.file("key", Self.key)
            variables["GATEWAY_SIGNING_ALGORITHM"] = "ES256"
            variables["GATEWAY_SIGNING_KEY_ID"] = "first"
            variables["GATEWAY_ASSERTION_AUDIENCE"] = "the-server"
        } else {
            variables["GATEWAY_CLIENT_ASSERTION_FILE"] = try folder.file("assertion", "a.b.c\n")
        }
        let engine = try GatewayEnvironment(variables).configuration().makeEngine()
        #expect(try await status(engine) == 200)
        let form = seen.withLock { $0 }
        #expect(form["client_id"] == "signer" && form["grant_type"] == "client_credentials")
        let assertion = try #require(form["client_assertion"])
        if isOwn {
            let signed = try JSONWebToken(decoding: Secret(assertion))
            #expect(signed.issuer == "signer" && signed.subject == "signer")
            #expect(signed.audiences == ["the-server"] && signed.keyID == "first")
        } else {
            #expect(assertion == "a.b.c")
        }
    }
}
