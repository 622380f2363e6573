import GatewayAuth
import GatewayCore
import GatewayCurl
import GatewayJSON
import GatewayTesting
import Testing

/// The JWT bearer grant (RFC 7523 §2.1) and the token exchange (RFC 8693).
@Suite(.timeLimit(.minutes(1))) struct AssertionGrantTests {
    private static let issuer = "https://workload.example"

    private func gateway() throws -> EmbeddedGateway {
        var configuration = EmbeddedGateway.Configuration()
        configuration.trustedIssuers[Self.issuer] = try JSONWebTokenKey(
            pem: TestKeys.p256Public.pem, algorithm: .es256)
        return try EmbeddedGateway.start(configuration)
    }

    private func endpoint(_ gateway: EmbeddedGateway) throws -> TokenEndpoint {
        try TokenEndpoint(
            gateway.tokenURL, client: .basic(clientID: gateway.client.id, secret: gateway.client.secret),
            transport: CurlTransport())
    }

    private func assertion(
        subject: String? = "reader", audience: String? = nil, algorithmKey: TestKeys = .p256
    ) throws -> SignedAssertion {
        try SignedAssertion(
            issuer: Self.issuer, subject: subject, audience: audience,
            claims: ["department": "loans"],
            key: JSONWebTokenKey(pem: algorithmKey.pem, algorithm: algorithmKey == .p256 ? .es256 : .rs256))
    }

    private func claims(_ grant: TokenLease, _ gateway: EmbeddedGateway) throws -> JSONWebToken {
        try JSONWebToken.verify(grant.accessToken, key: gateway.verificationKey)
    }

    // MARK: JWT bearer

    @Test func anAssertionIsTradedForTheSubjectsToken() async throws {
        let gateway = try gateway()
        defer { gateway.shutdown() }
        let endpoint = try endpoint(gateway)
        let coordinator = TokenRefreshCoordinator(
            acquirer: JWTBearerGrant(endpoint: endpoint, assertion: try assertion(subject: nil)))
        for subject in ["ann", "ben"] {
            let key = endpoint.key(scopes: ["books:read"], subject: subject)
            let lease = try await coordinator.token(for: key)
            #expect(try claims(lease, gateway).subject == subject)
            // The assertion is single-use: the next one is another.
            #expect(try claims(await coordinator.rejected(lease), gateway).subject == subject)
        }
        #expect(
            gateway.statistics.tokenRequests["urn:ietf:params:oauth:grant-type:jwt-bearer"] == 4)
        // Nobody to speak of.
        let nobody = await outcome { () throws(NetworkError) in try await coordinator.token() }
        #expect(nobody.code == .credentialMisconfigured)
    }

    @Test func anAssertionThatTheServerDoesNotTrustAsksForASignIn() async throws {
        let gateway = try gateway()
        defer { gateway.shutdown() }
        for assertion in [
            try assertion(audience: "https://elsewhere.example"), try assertion(algorithmKey: .rsa),
        ] {
            let coordinator = TokenRefreshCoordinator(
                acquirer: JWTBearerGrant(endpoint: try endpoint(gateway), assertion: assertion))
            let result = await outcome { () throws(NetworkError) in try await coordinator.token() }
            #expect(result.code == .reauthenticationRequired)
        }
    }

    @Test func claimsOfTheAssertionsOwnAreNotReplaced() throws {
        let key = try JSONWebTokenKey(pem: TestKeys.p256.pem, algorithm: .es256)
        for name in ["iss", "sub", "aud", "jti", "iat", "exp"] {
            let error = #expect(throws: NetworkError.self) {
                try SignedAssertion(issuer: "a", subject: "b", claims: [name: "x"], key: key)
            }
            #expect(error?.code == .credentialMisconfigured)
        }
    }

    // MARK: Token exchange

    /// A token as a platform projects it into a file.
    private func projected(_ subject: String) throws -> Secret {
        let now = Int(SystemClock().unixTime.components.seconds)
        return try JSONWebToken.sign(
            claims: [
                "iss": .string(Self.issuer), "sub": .string(subject), "aud": "gateway",
                "iat": .number(.init(now)), "exp": .number(.init(now + 600)),
            ], key: JSONWebTokenKey(pem: TestKeys.p256.pem, algorithm: .es256))
    }

    @Test func aWorkloadsFileIsExchanged() async throws {
        let (gateway, directory) = (try gateway(), TemporaryDirectory())
        defer { gateway.shutdown() }
        try directory.write(try projected("system:books").exposed, "token")
        let coordinator = TokenRefreshCoordinator(
            acquirer: TokenExchange(
                endpoint: try endpoint(gateway),
                subject: TokenExchange.Token(.file(directory.path("token")), type: .jwt)))
        let lease = try await coordinator.token()
        #expect(try claims(lease, gateway).subject == "system:books")
        try directory.write(try projected("system:orders").exposed, "token")
        #expect(try claims(await coordinator.rejected(lease), gateway).subject == "system:orders")
    }

    @Test func whatGoesOutIsWhatTheStandardSays() async throws {
        let uri = "urn:ietf:params:oauth:token-type:"
        let transport = ScriptedTransport(
            .status(
                200, #"{"access_token":"t","token_type":"Bearer","issued_token_type":"\#(uri)jwt"}"#))
        let endpoint = try TokenEndpoint(
            "https://login.example.com/token", client: .publicClient(clientID: "app"), transport: transport)
        let exchange = TokenExchange(
            endpoint: endpoint, subject: TokenExchange.Token(.fixed(Secret("subject")), type: .idToken),
            actor: TokenExchange.Token(.fixed(Secret("actor"))), requesting: .jwt,
            resources: ["https://a.example/x", "https://b.example/y"])
        let coordinator = TokenRefreshCoordinator(acquirer: exchange)
        _ = try await coordinator.token(
            for: endpoint.key(scopes: ["s", "r"], audiences: ["one", "two"]))
        let form = Form(transport.requests.first)
        #expect(form["grant_type"] == "urn:ietf:params:oauth:grant-type:token-exchange")
        #expect(form["subject_token"] == "subject" && form["subject_token_type"] == uri + "id_token")
        #expect(form["actor_token"] == "actor" && form["actor_token_type"] == uri + "access_token")
        #expect(form["requested_token_type"] == uri + "jwt" && form["scope"] == "r s")
        #expect(form.all("resource") == ["https://a.example/x", "https://b.example/y"])
        #expect(form.all("audience") == ["one", "two"])
    }

    @Test(arguments: [
        #""token_type":"Bearer""#,
        #""token_type":"Bearer","issued_token_type":null"#,
        #""token_type":"Bearer","issued_token_type":"urn:ietf:params:oauth:token-type:saml2""#,
        #""token_type":"N_A","issued_token_type":"urn:ietf:params:oauth:token-type:access_token""#,
        #""token_type":"Bearer","issued_token_type":"urn:ietf:params:oauth:token-type:refresh_token""#,
    ])
    func whatWasNotAskedForIsRefused(members: String) async throws {
        let transport = ScriptedTransport(.status(200, #"{"access_token":"t",\#(members)}"#))
        let endpoint = try TokenEndpoint(
            "https://login.example.com/token", client: .publicClient(clientID: "app"), transport: transport)
        for requested in [nil, TokenExchange.TokenType.accessToken] {
            let coordinator = TokenRefreshCoordinator(
                acquirer: TokenExchange(
                    endpoint: endpoint, subject: TokenExchange.Token(.fixed(Secret("s"))),
                    requesting: requested))
            let result = await outcome { () throws(NetworkError) in try await coordinator.token() }
            #expect(result.code == .tokenResponseMalformed)
        }
    }
}
