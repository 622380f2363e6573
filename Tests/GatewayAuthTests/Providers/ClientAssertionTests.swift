import GatewayAuth
import GatewayCore
import GatewayCurl
import GatewayTesting
import Testing

/// Clients that prove themselves by assertions (RFC 7523 §2.2), against a server that checks them by the standard.
@Suite(.timeLimit(.minutes(1))) struct ClientAssertionTests {
    /// Which algorithm; keys are no arguments, so that none is printed.
    enum Kind: String, CaseIterable, Sendable { case rs256, es256, hs256 }

    private static let shared = Secret("shared+secret of at least 32 bytes")

    private func client(_ kind: Kind, audience: String? = nil) throws -> ClientAuthentication {
        switch kind {
        case .rs256:
            try .privateKeyJWT(
                clientID: "app", key: JSONWebTokenKey(pem: TestKeys.rsa.pem, algorithm: .rs256),
                keyID: "rsa-1", audience: audience)
        case .es256:
            try .privateKeyJWT(
                clientID: "app", key: JSONWebTokenKey(pem: TestKeys.p256.pem, algorithm: .es256),
                keyID: "ec-1", audience: audience)
        case .hs256:
            try .clientSecretJWT(
                clientID: "app", key: JSONWebTokenKey(secret: Array(Self.shared.exposed.utf8)),
                audience: audience)
        }
    }

    private func verifier(_ kind: Kind) throws -> JSONWebTokenKey {
        switch kind {
        case .rs256: try JSONWebTokenKey(pem: TestKeys.rsaPublic.pem, algorithm: .rs256)
        case .es256: try JSONWebTokenKey(pem: TestKeys.p256Public.pem, algorithm: .es256)
        case .hs256: try JSONWebTokenKey(secret: Array(Self.shared.exposed.utf8))
        }
    }

    private func gateway(_ kind: Kind) throws -> EmbeddedGateway {
        var configuration = EmbeddedGateway.Configuration()
        var client = EmbeddedGateway.Client(id: "app")
        client.assertionKeys = [try verifier(kind)]
        configuration.clients = [client]
        return try EmbeddedGateway.start(configuration)
    }

    @Test(arguments: Kind.allCases) func anAssertionIsAcceptedWithEveryGrant(kind: Kind) async throws {
        let gateway = try gateway(kind)
        defer { gateway.shutdown() }
        let endpoint = try TokenEndpoint(
            gateway.tokenURL, client: client(kind), revocationURL: "\(gateway.tokenOrigin)/oauth/revoke",
            transport: CurlTransport())
        let coordinator = TokenRefreshCoordinator(acquirer: ClientCredentials(endpoint: endpoint))
        let first = try await coordinator.token()
        _ = try await coordinator.rejected(first)
        let session = try gateway.signIn()
        let refreshing = TokenRefreshCoordinator(
            acquirer: RefreshTokenGrant(endpoint: endpoint, initial: session.refreshToken))
        let lease = try await refreshing.token()
        #expect(gateway.statistics.tokensGranted == 3)
        try await endpoint.revoke(TokenGrant(accessToken: lease.accessToken), deadline: .after(.seconds(60)))
        let response = try await CurlTransport().send(
            HTTPRequest(
                .get, gateway.apiURL + "/books",
                fields: [.authorization: "Bearer " + lease.accessToken.exposed]), context: RequestContext())
        #expect(response.status == 401)
    }

    @Test(arguments: Kind.allCases) func anAssertionForSomebodyElseIsRefused(kind: Kind) async throws {
        let gateway = try gateway(kind)
        defer { gateway.shutdown() }
        let endpoint = try TokenEndpoint(
            gateway.tokenURL, client: client(kind, audience: "https://elsewhere.example"),
            transport: CurlTransport())
        let coordinator = TokenRefreshCoordinator(acquirer: ClientCredentials(endpoint: endpoint))
        let result = await outcome { () throws(NetworkError) in try await coordinator.token() }
        #expect(result.code == .credentialMisconfigured)
    }

    @Test(arguments: Kind.allCases) func everyAttemptSignsAnew(kind: Kind) async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport(.status(503), .status(503), .status(200, "{}"))
        let endpoint = try TokenEndpoint(
            "https://login.example.com/token", client: client(kind), transport: transport, clock: clock)
        for _ in 0..<3 {
            _ = await outcome { () throws(NetworkError) in
                try await endpoint.grant(
                    [("grant_type", "client_credentials")], deadline: .after(.seconds(9), clock: clock))
            }
            clock.advance(by: .seconds(7))
        }
        let tokens = try transport.requests.map { request in
            let form = Form(request)
            #expect(form["client_id"] == "app")
            #expect(form["client_secret"] == nil)
            #expect(request.fields[.authorization] == nil)
            #expect(
                form["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
            return try JSONWebToken.verify(Secret(form["client_assertion"] ?? ""), key: verifier(kind))
        }
        #expect(Set(tokens.map(\.id)).count == 3)
        #expect(tokens.allSatisfy { $0.id.map { $0.utf8.count >= 20 } ?? false })
        #expect(tokens.map(\.issuedAt) == [0, 7, 14].map { .seconds(1_767_225_600 + $0) })
        #expect(tokens.map(\.expiration) == [60, 67, 74].map { .seconds(1_767_225_600 + $0) })
        for token in tokens {
            #expect(token.issuer == "app" && token.subject == "app")
            #expect(token.audiences == ["https://login.example.com/token"])
            #expect(token.keyID == (kind == .hs256 ? nil : kind == .rs256 ? "rsa-1" : "ec-1"))
        }
    }

    @Test func keysOfAnotherKindAreRefused() throws {
        let shared = try JSONWebTokenKey(secret: Array(Self.shared.exposed.utf8))
        let open = try JSONWebTokenKey(pem: TestKeys.rsaPublic.pem, algorithm: .rs256)
        let pair = try JSONWebTokenKey(pem: TestKeys.rsa.pem, algorithm: .rs256)
        let makes: [() throws -> ClientAuthentication] = [
            { try .privateKeyJWT(clientID: "app", key: shared) },
            { try .privateKeyJWT(clientID: "app", key: open) },
            { try .clientSecretJWT(clientID: "app", key: pair) },
            { try .privateKeyJWT(clientID: "app", key: pair, lifetime: .zero) },
        ]
        for make in makes {
            let error = #expect(throws: NetworkError.self) { try make() }
            #expect(error?.code == .credentialMisconfigured)
        }
    }

    /// A projected token is the client's assertion, and is read anew for each request.
    @Test func aWorkloadsIdentityIsReadForEachRequest() async throws {
        let directory = TemporaryDirectory()
        try directory.write("first.assertion.x\n", "token")
        let transport = ScriptedTransport(.status(200, #"{"access_token":"t"}"#))
        let endpoint = try TokenEndpoint(
            "https://login.example.com/token",
            client: .assertion(clientID: "app", from: .file(directory.path("token"))), transport: transport)
        let deadline = Deadline.after(.seconds(60))
        _ = try await endpoint.grant([("grant_type", "client_credentials")], deadline: deadline)
        try directory.write("second.assertion.x", "token")
        _ = try await endpoint.grant([("grant_type", "client_credentials")], deadline: deadline)
        try directory.write("", "token")
        let empty = await outcome { () throws(NetworkError) in
            try await endpoint.grant([("grant_type", "client_credentials")], deadline: deadline)
        }
        #expect(empty.code == .tokenUnavailable)
        #expect(
            transport.requests.map { Form($0)["client_assertion"] } == [
                "first.assertion.x", "second.assertion.x",
            ])
    }
}
