import GatewayAuth
import GatewayClient
import GatewayCore
import GatewayCurl
import GatewayJSON
import GatewayTesting
import Testing

/// The whole stack against glewlwyd: sign-in by browser and device, rotation, revocation, introspection, proofs of
/// possession, and access tokens in the form of RFC 9068.
@Suite(.needsGlewlwyd, .timeLimit(.minutes(2))) struct GlewlwydTests {
    private static let deadline = ProviderClient.deadline

    /// A person who signed in.
    private struct Person {
        let client: ProviderClient
        let endpoint: TokenEndpoint
        let grant: TokenGrant
        let session: ProviderSession
    }

    private func person(method: String = "client_secret_basic", binding: DPoPBinding? = nil) async throws
        -> Person
    {
        let client = try await ProviderClient(.glewlwyd, method: method)
        let endpoint = try await client.endpoint(try client.authentication(method), binding: binding)
        let key = endpoint.key(scopes: ["read"])
        let grant = try await client.signIn(endpoint, for: key)
        return Person(
            client: client, endpoint: endpoint, grant: grant,
            session: try client.session(endpoint, key: key, grant: grant))
    }

    /// Revokes the access token alone.
    private func revoke(_ accessToken: Secret, at endpoint: TokenEndpoint) async throws {
        try await endpoint.revoke(TokenGrant(accessToken: accessToken), deadline: .after(Self.deadline))
    }

    // MARK: Sign-in

    @Test(.covers(.glewlwyd, .discovery)) func itsMetadataNamesAllEndpoints() async throws {
        let client = try await ProviderClient(.glewlwyd)
        let metadata = try await client.metadata()
        for endpoint in AuthorizationServerMetadata.Endpoint.allCases {
            #expect(try metadata.url(of: endpoint)?.hasPrefix(client.provider.issuer + "/") == true)
        }
        // Its responses do name it.
        #expect(!metadata.namesIssuerInResponses)
        #expect(metadata.proofAlgorithms?.contains("ES256") == true)
    }

    @Test(
        .covers(.glewlwyd, .authorizationCode, .basic, .post, .privateKeyJWT),
        arguments: ["client_secret_basic", "client_secret_post", "private_key_jwt"])
    func aPersonSignsInByABrowser(method: String) async throws {
        let person = try await person(method: method)
        #expect(person.grant.scopes == ["read"] && person.grant.refreshToken != nil)
        #expect(try await person.session.call().status == 200)
        // The audience of an assertion for the revocation endpoint has to be that endpoint.
        let revocation = try await person.client.endpoint(
            try person.client.authentication(
                method, audience: person.client.provider.issuer + "/revoke"))
        try await revoke(person.grant.accessToken, at: revocation)
        // The refresh authenticates the client in the same way.
        #expect(try await person.session.call().exchange.attempts == 2)
        #expect(person.session.acquirer.grants.count == 1)
    }

    @Test(.covers(.glewlwyd, .idToken)) func aSignInBringsAnIDToken() async throws {
        let client = try await ProviderClient(.glewlwyd)
        let endpoint = try await client.endpoint()
        let key = endpoint.key(scopes: ["openid", "read"])
        let grant = try await client.signIn(endpoint, for: key)
        try client.check(grant.idToken)
        #expect(try await client.session(endpoint, key: key, grant: grant).call().status == 200)
    }

    @Test(.covers(.glewlwyd, .authorizationCode)) func aCodeCountsWithItsVerifierOnly() async throws {
        let client = try await ProviderClient(.glewlwyd)
        let outcome = try await client.exchangeWithOtherVerifier(
            at: try await client.endpoint(), scope: "read")
        guard case .failure(let error) = outcome else {
            Issue.record("The code was accepted.")
            return
        }
        #expect(error.status == 403)
    }

    @Test(.covers(.glewlwyd, .deviceCode)) func aDeviceSignsIn() async throws {
        let client = try await ProviderClient(.glewlwyd, grants: ["device_authorization", "refresh_token"])
        let endpoint = try await client.endpoint(clock: JumpingClock())
        let key = endpoint.key(scopes: ["read"])
        let grant = try await DeviceAuthorization(endpoint: endpoint).grant(
            for: key, deadline: .after(Self.deadline)
        ) { prompt in
            #expect(prompt.verificationURI == client.provider.issuer + "/device")
            let url = try #require(prompt.verificationURIComplete)
            #expect(url == "\(prompt.verificationURI)?code=\(prompt.userCode)")
            let page = try await OpenIDProvider.signInAtGlewlwyd(client.provider.origin, url)
            #expect(page.contains("prompt=deviceComplete"))
        }
        NotingAcquirer.note(grant)
        let session = try client.session(endpoint, key: key, grant: grant)
        #expect(try await session.call().status == 200)
        try await revoke(grant.accessToken, at: endpoint)
        #expect(try await session.call().exchange.attempts == 2)
    }

    // MARK: Client credentials

    @Test(
        .covers(.glewlwyd, .clientCredentials),
        arguments: ["client_secret_basic", "client_secret_post", "private_key_jwt"])
    func clientCredentials(method: String) async throws {
        let client = try await ProviderClient(.glewlwyd, method: method, grants: ["client_credentials"])
        let endpoint = try await client.endpoint(try client.authentication(method))
        let grant = try await ClientCredentials(endpoint: endpoint).acquire(
            client.request(endpoint.key(scopes: ["read"])))
        NotingAcquirer.note(grant)
        #expect(grant.scopes == ["read"] && grant.expiresIn == .seconds(3600))
        #expect(grant.refreshToken == nil)
    }

    /// The response is an empty 403.
    @Test(.covers(.glewlwyd, .basic, .post), arguments: ["client_secret_basic", "client_secret_post"])
    func aWrongSecretIsAMisconfiguration(method: String) async throws {
        let client = try await ProviderClient(.glewlwyd, method: method, grants: ["client_credentials"])
        let isBasic = method == "client_secret_basic"
        let secret = Secret("wrong")
        let endpoint = try await client.endpoint(
            isBasic
                ? .basic(clientID: client.id, secret: secret) : .post(clientID: client.id, secret: secret))
        let code = await ProviderClient.failure {
            _ = try await ClientCredentials(endpoint: endpoint).acquire(
                client.request(endpoint.key(scopes: ["read"])))
        }
        #expect(code == .credentialMisconfigured)
    }

    // MARK: Refresh tokens

    /// Calls with a revoked access token lead to one refresh, each time with the new refresh token.
    @Test(.covers(.glewlwyd, .rotation)) func refreshTokensRotate() async throws {
        let person = try await person()
        var grant = person.grant
        for round in 1...3 {
            try await revoke(grant.accessToken, at: person.endpoint)
            try await person.session.calls(20)
            #expect(person.session.acquirer.grants.count == round)
            let next = try #require(person.session.acquirer.grants.last)
            #expect(next.refreshToken != nil && next.refreshToken != grant.refreshToken)
            grant = next
        }
    }

    /// glewlwyd answers 400 without a body for a refresh token that was used before, and revokes its successors.
    @Test(.covers(.glewlwyd, .reuseDetection, .deadRefreshToken)) func aReusedRefreshTokenEndsTheFamily()
        async throws
    {
        let person = try await person()
        try await revoke(person.grant.accessToken, at: person.endpoint)
        #expect(try await person.session.call().status == 200)
        let thief = try await person.client.trade(person.grant.refreshToken, at: person.endpoint)
        #expect(thief.code == .reauthenticationRequired)
        let current = try #require(person.session.acquirer.grants.last)
        try await revoke(current.accessToken, at: person.endpoint)
        for _ in 0..<3 {
            let code = await ProviderClient.failure { _ = try await person.session.call() }
            #expect(code == .reauthenticationRequired)
        }
        #expect(person.session.acquirer.grants.count == 1)
    }

    // MARK: Revocation and introspection

    @Test(.covers(.glewlwyd, .revocation)) func aRevocationEndsTheRefreshToken() async throws {
        let person = try await person()
        try await person.endpoint.revoke(person.grant, deadline: .after(Self.deadline))
        let trade = try await person.client.trade(person.grant.refreshToken, at: person.endpoint)
        #expect(trade.code == .reauthenticationRequired)
        // The access token stays valid, and is revoked by itself.
        #expect(try await person.session.call().status == 200)
        try await revoke(person.grant.accessToken, at: person.endpoint)
        let code = await ProviderClient.failure { _ = try await person.session.call() }
        #expect(code == .reauthenticationRequired)
        // Revoked and unknown tokens are no error (RFC 7009 §2.2).
        try await person.endpoint.revoke(person.grant, deadline: .after(Self.deadline))
        try await revoke(Secret("unknown"), at: person.endpoint)
    }

    @Test(.covers(.glewlwyd, .introspection)) func itIntrospectsTokens() async throws {
        let person = try await person()
        let deadline = Deadline.after(Self.deadline)
        let active = try await person.endpoint.introspect(
            person.grant.accessToken, hint: "access_token", deadline: deadline)
        #expect(active.isActive && active.scopes == ["read"])
        #expect(active.members["client_id"]?.string == person.client.id)
        #expect(active.members["username"]?.string == "person")
        let end = try #require(active.members["exp"]?.int)
        #expect((3500...3610).contains(end - TokenCounterparts.now))
        try await revoke(person.grant.accessToken, at: person.endpoint)
        for token in [person.grant.accessToken, Secret("unknown")] {
            let inactive = try await person.endpoint.introspect(token, deadline: deadline)
            #expect(!inactive.isActive && inactive.members.isEmpty)
        }
        let stranger = try await person.client.endpoint(
            .basic(clientID: person.client.id, secret: Secret("wrong")))
        _ = await ProviderClient.failure {
            _ = try await stranger.introspect(person.grant.accessToken, deadline: deadline)
        }
    }

    // MARK: Access tokens

    /// RFC 9068, except for the audience: without a resource it is the scope.
    @Test(.covers(.glewlwyd, .jwtAccessTokens)) func itsAccessTokensAreVerified() async throws {
        let person = try await person()
        let metadata = try await person.client.metadata()
        let keys = try JSONWebKeySetSource(
            try #require(try metadata.url(of: .keys)), transport: CurlTransport())
        func verifier(_ audience: String) -> JSONWebTokenVerifier {
            JSONWebTokenVerifier(
                source: keys,
                requirements: JSONWebTokenRequirements(
                    issuer: metadata.issuer, audience: audience, type: .accessToken))
        }
        let token = try await verifier("read").verify(person.grant.accessToken)
        #expect(token.claims["client_id"]?.string == person.client.id)
        #expect(token.claims["scope"]?.string == "read")
        for claim in ["sub", "jti", "iat", "exp"] { #expect(token.claims[claim] != nil) }
        let error = await #expect(throws: JSONWebTokenError.self) {
            try await verifier(person.client.id).verify(person.grant.accessToken)
        }
        #expect(error?.code == .wrongAudience)
    }

    @Test(.covers(.glewlwyd, .proofOfPossession)) func tokensAreBoundToAKey() async throws {
        let binding = try DPoPBinding()
        let person = try await person(binding: binding)
        #expect(person.grant.type == .dpop)
        #expect(try await person.session.call().status == 200)
        let state = try await person.endpoint.introspect(
            person.grant.accessToken, deadline: .after(Self.deadline))
        #expect(state.members["cnf"]?["jkt"]?.string == binding.thumbprint)
        try await revoke(person.grant.accessToken, at: person.endpoint)
        #expect(try await person.session.call().exchange.attempts == 2)
        #expect(person.session.acquirer.grants.first?.type == .dpop)
        // The refresh token is bound as well: another key is refused.
        let other = try await person.client.endpoint(binding: try DPoPBinding())
        let current = try #require(person.session.acquirer.grants.last)
        #expect(try await person.client.trade(current.refreshToken, at: other).code != nil)
    }

    /// The token endpoint and the API require a nonce that they announce, and change it every few proofs.
    @Test(.covers(.glewlwyd, .proofOfPossession)) func proofsHaveTheNonceThatIsRequired() async throws {
        let client = try await ProviderClient(.glewlwydWithNonces)
        let endpoint = try await client.endpoint(binding: try DPoPBinding())
        let key = endpoint.key(scopes: ["read"])
        let grant = try await client.signIn(endpoint, for: key)
        let session = try client.session(endpoint, key: key, grant: grant)
        for _ in 0..<12 { #expect(try await session.call().status == 200) }
    }
}
