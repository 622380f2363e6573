import GatewayAuth
import GatewayClient
import GatewayCore
import GatewayTesting
import Testing

/// The whole stack against oidc-provider-mock, a provider for tests with few features.
@Suite(.needsMock, .timeLimit(.minutes(2))) struct MockProviderTests {
    @Test(.covers(.mock, .discovery)) func itsMetadataNamesItsEndpoints() async throws {
        let metadata = try await ProviderClient(.mock).metadata()
        for endpoint in [AuthorizationServerMetadata.Endpoint.authorization, .token, .keys] {
            #expect(try metadata.url(of: endpoint) != nil)
        }
        for endpoint in [AuthorizationServerMetadata.Endpoint.revocation, .introspection] {
            #expect(try metadata.url(of: endpoint) == nil)
        }
        #expect(metadata.challengeMethods == nil)
    }

    @Test(.covers(.mock, .authorizationCode)) func itIgnoresTheVerifier() async throws {
        let client = try await ProviderClient(.mock)
        let outcome = try await client.exchangeWithOtherVerifier(
            at: try await client.endpoint(), scope: "openid")
        #expect(outcome.value != nil)
    }

    /// A refresh does not replace the refresh token.
    @Test(.covers(.mock, .authorizationCode, .idToken, .basic, .rotation)) func aPersonSignsInByABrowser()
        async throws
    {
        let client = try await ProviderClient(.mock)
        let endpoint = try await client.endpoint()
        let key = endpoint.key(scopes: ["openid", "profile"])
        let grant = try await client.signIn(endpoint, for: key)
        try client.check(grant.idToken)
        #expect(try await client.session(endpoint, key: key, grant: grant).call().status == 200)
        var expired = grant
        expired.expiresIn = .zero
        for _ in 0..<2 {
            let session = try client.session(endpoint, key: key, grant: expired)
            try await session.calls(10)
            #expect(session.acquirer.grants.count == 1)
            #expect(session.acquirer.grants.first?.refreshToken == grant.refreshToken)
        }
    }

    /// A client that is registered for this method cannot refresh.
    @Test(.covers(.mock, .post)) func aSecretInTheBodyDoesNotRefresh() async throws {
        let client = try await ProviderClient(.mock, method: "client_secret_post")
        let endpoint = try await client.endpoint(try client.post)
        let grant = try await client.signIn(endpoint, for: endpoint.key(scopes: ["openid"]))
        let refresh = try await client.trade(grant.refreshToken, at: endpoint)
        #expect(refresh.code == .credentialMisconfigured)
    }

    @Test(.covers(.mock, .deadRefreshToken)) func anUnknownRefreshTokenAsksForASignIn() async throws {
        let client = try await ProviderClient(.mock)
        let endpoint = try await client.endpoint()
        let key = endpoint.key(scopes: ["openid"])
        let grant = TokenGrant(
            accessToken: Secret("unknown"), expiresIn: .zero, refreshToken: Secret("unknown"))
        let session = try client.session(endpoint, key: key, grant: grant)
        for _ in 0..<3 {
            let code = await ProviderClient.failure { _ = try await session.call() }
            #expect(code == .reauthenticationRequired)
        }
    }
}
