import GatewayAuth
import GatewayClient
import GatewayCore
import GatewayCurl
import GatewayJSON
import GatewayTesting
import Testing

/// The whole stack against canaille: sign-in and consent by its forms, rotation, revocation and introspection.
@Suite(.needsCanaille, .timeLimit(.minutes(2))) struct CanailleTests {
    private static let deadline = ProviderClient.deadline

    /// A person who signed in.
    private struct Person {
        let client: ProviderClient
        let endpoint: TokenEndpoint
        let grant: TokenGrant
        let key: TokenKey
    }

    private func person(method: String = "client_secret_basic") async throws -> Person {
        let client = try await ProviderClient(.canaille, method: method)
        let endpoint = try await client.endpoint(try client.authentication(method))
        let key = endpoint.key(scopes: ["openid", "profile"])
        return Person(
            client: client, endpoint: endpoint, grant: try await client.signIn(endpoint, for: key), key: key)
    }

    /// The person's calls, beginning with an access token that has to be refreshed.
    ///
    /// canaille revokes access token and refresh token together, so that no rejected call can be refreshed.
    private func expired(_ person: Person, _ grant: TokenGrant? = nil) throws -> ProviderSession {
        var grant = grant ?? person.grant
        grant.expiresIn = .zero
        return try person.client.session(person.endpoint, key: person.key, grant: grant)
    }

    // MARK: Sign-in

    @Test(.covers(.canaille, .discovery)) func itsMetadataNamesItsEndpoints() async throws {
        let client = try await ProviderClient(.canaille)
        let metadata = try await client.metadata()
        for endpoint in AuthorizationServerMetadata.Endpoint.allCases where endpoint != .deviceAuthorization {
            #expect(try metadata.url(of: endpoint)?.hasPrefix(client.provider.issuer + "/oauth/") == true)
        }
        #expect(try metadata.url(of: .deviceAuthorization) == nil)
        #expect(metadata.challengeMethods?.contains("S256") == true && metadata.namesIssuerInResponses)
    }

    @Test(
        .covers(.canaille, .authorizationCode, .idToken, .basic, .post, .privateKeyJWT),
        arguments: ["client_secret_basic", "client_secret_post", "private_key_jwt"])
    func aPersonSignsInByABrowser(method: String) async throws {
        let person = try await person(method: method)
        #expect(person.grant.scopes == ["openid", "profile"] && person.grant.refreshToken != nil)
        try person.client.check(person.grant.idToken)
        let session = try person.client.session(person.endpoint, key: person.key, grant: person.grant)
        #expect(try await session.call().status == 200)
        // The refresh authenticates the client in the same way.
        let refreshed = try expired(person)
        #expect(try await refreshed.call().status == 200)
        #expect(refreshed.acquirer.grants.count == 1)
    }

    @Test(.covers(.canaille, .authorizationCode)) func aCodeCountsWithItsVerifierOnly() async throws {
        let client = try await ProviderClient(.canaille)
        let outcome = try await client.exchangeWithOtherVerifier(
            at: try await client.endpoint(), scope: "profile")
        #expect(outcome.code == .reauthenticationRequired)
    }

    // MARK: Client credentials

    @Test(.covers(.canaille, .clientCredentials)) func clientCredentials() async throws {
        let client = try await ProviderClient(.canaille, grants: ["client_credentials"])
        let endpoint = try await client.endpoint()
        let key = endpoint.key(scopes: ["profile"])
        let grant = try await ClientCredentials(endpoint: endpoint).acquire(
            client.request(key))
        NotingAcquirer.note(grant)
        #expect(grant.scopes == ["profile"] && grant.refreshToken == nil)
        let stranger = try await client.endpoint(.basic(clientID: client.id, secret: Secret("wrong")))
        let code = await ProviderClient.failure {
            _ = try await ClientCredentials(endpoint: stranger).acquire(
                client.request(key))
        }
        #expect(code == .credentialMisconfigured)
    }

    /// For this grant the server accepts no other method than `client_secret_basic`.
    @Test(
        .covers(.canaille, .clientCredentials), arguments: ["client_secret_post", "private_key_jwt"])
    func clientCredentialsByOtherMethods(method: String) async throws {
        let client = try await ProviderClient(.canaille, method: method, grants: ["client_credentials"])
        let endpoint = try await client.endpoint(try client.authentication(method))
        let code = await ProviderClient.failure {
            _ = try await ClientCredentials(endpoint: endpoint).acquire(
                client.request(endpoint.key(scopes: ["profile"])))
        }
        #expect(code == .credentialMisconfigured)
    }

    // MARK: Refresh tokens

    /// Calls with an access token that has to be refreshed lead to one refresh, each time with the new refresh token.
    @Test(.covers(.canaille, .rotation)) func refreshTokensRotate() async throws {
        let person = try await person()
        var grant = person.grant
        for _ in 1...3 {
            let session = try expired(person, grant)
            try await session.calls(20)
            #expect(session.acquirer.grants.count == 1)
            let next = try #require(session.acquirer.grants.last)
            #expect(next.refreshToken != nil && next.refreshToken != grant.refreshToken)
            grant = next
        }
        // Both tokens have the same end.
        var ends: [JSONValue?] = []
        for token in [grant.accessToken, try #require(grant.refreshToken)] {
            let state = try await person.endpoint.introspect(token, deadline: .after(Self.deadline))
            ends.append(state.members["exp"])
        }
        #expect(ends[0] != nil && ends[0] == ends[1])
    }

    /// canaille refuses a refresh token that was used before, but keeps its successors (RFC 9700 §4.14.2).
    @Test(.covers(.canaille, .reuseDetection, .deadRefreshToken)) func aReusedRefreshTokenIsRefused()
        async throws
    {
        let person = try await person()
        let next = try #require(
            try await person.client.trade(person.grant.refreshToken, at: person.endpoint).value)
        let thief = try await person.client.trade(person.grant.refreshToken, at: person.endpoint)
        #expect(thief.code == .reauthenticationRequired)
        let robbed = try expired(person)
        for _ in 0..<3 {
            let code = await ProviderClient.failure { _ = try await robbed.call() }
            #expect(code == .reauthenticationRequired)
        }
        #expect(try await person.client.trade(next.refreshToken, at: person.endpoint).value != nil)
    }

    // MARK: Revocation and introspection

    @Test(.covers(.canaille, .revocation)) func aSignOutRevokes() async throws {
        let person = try await person()
        let (revocations, continuation) = AsyncStream<Void>.makeStream()
        let acquirer = RevocationWatch(RefreshTokenGrant(endpoint: person.endpoint)) { continuation.yield() }
        let stack = try CounterpartStack(
            person.client.provider.origin, acquirer, key: person.key, grant: person.grant)
        #expect(try await stack.get("/oauth/userinfo").status == 200)
        stack.coordinator.signOut(stack.key, revoking: true)
        for await _ in revocations { break }
        // Both tokens are revoked.
        let trade = try await person.client.trade(person.grant.refreshToken, at: person.endpoint)
        #expect(trade.code == .reauthenticationRequired)
        let session = try person.client.session(person.endpoint, key: person.key, grant: person.grant)
        let code = await ProviderClient.failure { _ = try await session.call() }
        #expect(code == .reauthenticationRequired)
        // Revoked and unknown tokens are no error (RFC 7009 §2.2).
        try await person.endpoint.revoke(person.grant, deadline: .after(Self.deadline))
        try await person.endpoint.revoke(
            TokenGrant(accessToken: Secret("unknown")), deadline: .after(Self.deadline))
    }

    @Test(.covers(.canaille, .revocation)) func aRevokedAccessTokenEndsTheRefreshToken() async throws {
        let person = try await person()
        try await person.endpoint.revoke(
            TokenGrant(accessToken: person.grant.accessToken), deadline: .after(Self.deadline))
        let trade = try await person.client.trade(person.grant.refreshToken, at: person.endpoint)
        #expect(trade.code == .reauthenticationRequired)
    }

    @Test(.covers(.canaille, .introspection)) func itIntrospectsTokens() async throws {
        let person = try await person()
        let deadline = Deadline.after(Self.deadline)
        let active = try await person.endpoint.introspect(
            person.grant.accessToken, hint: "access_token", deadline: deadline)
        #expect(active.isActive && Set(active.scopes) == ["openid", "profile"])
        #expect(active.members["client_id"]?.string == person.client.id)
        #expect(active.members["sub"]?.string == "person")
        try await person.endpoint.revoke(person.grant, deadline: deadline)
        for token in [person.grant.accessToken, Secret("unknown")] {
            let inactive = try await person.endpoint.introspect(token, deadline: deadline)
            #expect(!inactive.isActive && inactive.members.isEmpty)
        }
        let stranger = try await person.client.endpoint(
            .basic(clientID: person.client.id, secret: Secret("wrong")))
        let code = await ProviderClient.failure {
            _ = try await stranger.introspect(person.grant.accessToken, deadline: deadline)
        }
        #expect(code == .credentialMisconfigured)
    }

    // MARK: Access tokens

    /// Its access tokens are signed like identity tokens, for the client, and without the type of RFC 9068.
    @Test(.covers(.canaille, .jwtAccessTokens)) func itsAccessTokensAreVerified() async throws {
        let person = try await person()
        let metadata = try await person.client.metadata()
        let keys = try JSONWebKeySetSource(
            try #require(try metadata.url(of: .keys)), transport: CurlTransport())
        func verifier(_ type: JSONWebTokenType) -> JSONWebTokenVerifier {
            JSONWebTokenVerifier(
                source: keys,
                requirements: JSONWebTokenRequirements(
                    issuer: metadata.issuer, audience: person.client.id, type: type))
        }
        let token = try await verifier(.jwt).verify(person.grant.accessToken)
        #expect(token.claims["sub"]?.string == "person")
        let error = await #expect(throws: JSONWebTokenError.self) {
            try await verifier(.accessToken).verify(person.grant.accessToken)
        }
        #expect(error?.code == .wrongType)
    }
}
