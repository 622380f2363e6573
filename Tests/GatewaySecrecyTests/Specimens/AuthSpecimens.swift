@testable import GatewayAuth
@testable import GatewayCore
@testable import GatewayJSON
@testable import GatewayRedis

enum AuthSpecimens {
    static func key() throws -> JSONWebTokenKey {
        try JSONWebTokenKey(secret: Marker.bytes + Marker.bytes + Marker.bytes)
    }

    static func endpoint() throws -> TokenEndpoint {
        let query = "?key=\(Marker.token)"
        return try TokenEndpoint(
            "https://login.example.com/token\(query)",
            client: .basic(clientID: "client", secret: Secret(Marker.text)),
            others: TokenEndpoint.Others(
                revocationURL: "https://login.example.com/revoke\(query)",
                introspectionURL: "https://login.example.com/introspect\(query)",
                deviceAuthorizationURL: "https://login.example.com/device\(query)"),
            binding: DPoPBinding(), transport: Leaky())
    }

    static func tokens() throws -> [Any] {
        let grant = TokenGrant(
            accessToken: Secret(Marker.text), expiresIn: .seconds(60), refreshToken: Secret(Marker.text),
            scopes: [Marker.text])
        let key = TokenKey(issuer: "https://login.example.com", client: "client", subject: "subject")
        let stamp = CredentialStamp(
            identity: CredentialIdentity(key: key.canonical, epoch: 1), generation: 1)
        let stored = StoredToken.Grant(
            accessToken: Secret(Marker.text), refreshToken: Secret(Marker.text), issuedAt: .zero,
            scopes: [Marker.text])
        let kinds: [TokenEvent.Kind] = [
            .refreshStarted(.demand), .refreshed(lifetime: .zero, renewal: .zero),
            .adopted(lifetime: .zero, renewal: .zero),
            .storeFailed(.timeout, retryAfter: .zero), .storeRecovered, .rejected, .grantDiscarded,
            .refreshFailed(FailureCause(.timeout), isPermanent: false, attempt: 1, retryAfter: nil),
            .revocationFailed(FailureCause(.timeout)),
            .signedIn, .signedOut, .lifetimeLimited(issued: .zero, used: .zero),
            .scopesNarrowed(missing: ["write"]),
        ]
        let contents: [StoredToken.Content] = [.signedOut, .signedIn, .granted(stored)]
        let coordinator = TokenRefreshCoordinator(acquirer: Leaky(), store: Leaky())
        coordinator.signIn(with: grant)
        let scope = try CredentialScope(["https://api.example.com"])
        return [
            grant, key, scope, stored, coordinator, TokenRefreshPolicy(), AccessTokenType.bearer,
            TokenLease(key: key, stamp: stamp, accessToken: Secret(Marker.text), type: .bearer),
            TokenRequest(
                key: key, previous: grant, previousWasRejected: true, deadline: .after(.seconds(1))),
            MemoryTokenStore(), FileTokenStore(directory: "/tmp/\(Marker.text)"),
            AuthenticatedRequestEngine(transport: Leaky(), coordinator: coordinator, scope: scope),
        ] + kinds
            + kinds.map {
                TokenEvent(
                    credential: CredentialIdentity(key: key.canonical, epoch: 1), generation: 1,
                    waitingCalls: [1],
                    kind: $0)
            } + contents
            + contents.map { StoredToken(key: key, generation: 1, login: 1, content: $0) }
    }

    static func providers() throws -> [Any] {
        let endpoint = try endpoint()
        let sources: [SecretSource] = [
            .fixed(Secret(Marker.text)), .environment(Marker.text), .environment(fileNamedBy: Marker.text),
            .file(Marker.text), .function { [secret = Secret(Marker.text)] in secret },
        ]
        let assertion = try SignedAssertion(
            issuer: Marker.text, subject: Marker.text, audience: Marker.text,
            claims: ["claim": .string(Marker.text)], key: try key(), keyID: Marker.text)
        let token = TokenExchange.Token(.fixed(Secret(Marker.text)))
        let clients: [ClientAuthentication] = [
            .basic(clientID: "client", secret: Secret(Marker.text)),
            .post(clientID: "client", secret: Secret(Marker.text)),
            try .clientSecretJWT(clientID: "client", key: try key()),
            .assertion(clientID: "client", from: sources[0]), .publicClient(clientID: "client"),
            .mutualTLS(clientID: "client"),
        ]
        return [
            endpoint,
            TokenEndpoint.Others(
                revocationURL: Marker.text, introspectionURL: Marker.text, deviceAuthorizationURL: Marker.text
            ),
            try AuthorizationCode(
                endpoint: endpoint, authorizationURL: "https://login.example.com/?key=\(Marker.token)",
                issuer: nil),
            AuthorizationCode.Options(
                redirect: try LoopbackRedirect("http://127.0.0.1/\(Marker.token)"),
                parameters: [Marker.text: Marker.text]),
            try LoopbackRedirect("http://127.0.0.1/\(Marker.token)"),
            TokenGrant(accessToken: Secret(Marker.text), idToken: Secret(Marker.text)),
            ChainedTokenAcquirer([Leaky()]), ClientCredentials(endpoint: endpoint),
            ClosureTokenProvider { [secret = Marker.text] in secret },
            DeviceAuthorization(endpoint: endpoint),
            DeviceAuthorization.Prompt(
                userCode: Marker.text, verificationURI: "https://login.example.com/?code=\(Marker.token)",
                verificationURIComplete: "https://login.example.com/?code=\(Marker.token)",
                expiresIn: .seconds(60)),
            EnvironmentTokenProvider(variable: Marker.text),
            EnvironmentTokenProvider(fileNamedBy: Marker.text),
            FileTokenProvider(path: "/run/secrets/\(Marker.text)"), assertion,
            JWTBearerGrant(endpoint: endpoint, assertion: assertion),
            JWTBearerGrant(endpoint: endpoint, assertion: sources[0]),
            RefreshTokenGrant(endpoint: endpoint, initial: Secret(Marker.text)),
            StaticTokenProvider(Secret(Marker.text)), ProviderAcquirer(Leaky()), token,
            TokenIntrospection(isActive: true, members: ["sub": .string(Marker.text)]),
            TokenExchange(
                endpoint: endpoint, subject: token, actor: token, resources: [Marker.text]),
        ] + sources + clients
    }

    static func keys() throws -> [Any] {
        let key = try key()
        let encoded = Base64.encodeURL(Marker.bytes + Marker.bytes + Marker.bytes)
        let json = #"{"kty":"oct","alg":"HS256","kid":"\#(Marker.text)","k":"\#(encoded)"}"#
        let set = try JSONWebKeySet(
            jsonBytes: Array(#"{"keys":[\#(json),{"kty":"\#(Marker.text)"}]}"#.utf8),
            provenance: .confidential)
        let token = try JSONWebToken.sign(
            claims: ["iss": .string(Marker.text), Marker.text: .string(Marker.text)], key: key,
            keyID: Marker.text)
        let source = try JSONWebKeySetSource(
            "https://login.example.com/jwks?key=\(Marker.token)", transport: Leaky())
        let metadata = #"""
            {"issuer":"https://login.example.com",
             "token_endpoint":"https://login.example.com/token?key=\#(Marker.token)",
             "dpop_signing_alg_values_supported":["\#(Marker.text)"],
             "code_challenge_methods_supported":["\#(Marker.text)"],
             "mtls_endpoint_aliases":{"token_endpoint":"https://login.example.com/?key=\#(Marker.token)"}}
            """#
        let requirements = JSONWebTokenRequirements(issuer: "https://login.example.com", audience: "api")
        let discovery = try AuthorizationServerDiscovery(
            issuer: "https://login.example.com/\(Marker.token)", transport: Leaky())
        return [
            key, try JSONWebKey(jsonBytes: Array(json.utf8)), set, try JSONWebToken(decoding: token), source,
            try AuthorizationServerMetadata(
                Array(metadata.utf8), issuers: ["https://login.example.com"],
                origin: try Origin("https://login.example.com"), allowing: []),
            JSONWebKeySetPolicy(), requirements,
            JSONWebTokenVerifier(source: source, requirements: requirements),
            JSONWebTokenVerifier(keys: set, requirements: requirements), try DPoPBinding(key: nil), discovery,
            DiscoveredTokenAcquirer(discovery) { [leaky = Leaky()] _ in leaky },
        ] + set.omissions
            + AuthenticationChallenge.parse(lines: [
                #"Bearer realm="\#(Marker.text)", \#(Marker.token)="\#(Marker.text)""#,
                "Basic \(Marker.token)",
            ])
    }

    static func redis() -> [Any] {
        var configuration = RedisConfiguration()
        configuration.username = Marker.text
        configuration.password = Secret(Marker.text)
        configuration.socketPath = "/run/\(Marker.text)"
        var network = configuration
        network.socketPath = nil
        return [configuration, network, RedisTokenStore(network)]
    }
}
