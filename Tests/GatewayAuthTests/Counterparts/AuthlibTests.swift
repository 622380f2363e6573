import GatewayAuth
import GatewayClient
import GatewayCore
import GatewayCurl
import GatewayJSON
import GatewayTesting
import Testing

/// The whole stack against an authorization server and an API by Authlib.
@Suite(.needsAuthlib, .timeLimit(.minutes(2))) struct AuthlibTests {
    private static let assertion = "urn:ietf:params:oauth:grant-type:jwt-bearer"

    private func client(
        _ methods: [String] = ["client_secret_basic"], _ grants: [String]
    ) async throws -> CounterpartClient {
        try await CounterpartClient(TokenCounterparts.authlib, methods: methods, grants: grants)
    }

    /// How a client authenticates.
    enum Method: String, Sendable, CaseIterable {
        case basic = "client_secret_basic"
        case post = "client_secret_post"
        case rs256, es256

        var name: String { rawValue.hasPrefix("client") ? rawValue : "client_assertion_jwt" }

        func authentication(_ client: CounterpartClient) throws -> ClientAuthentication {
            switch self {
            case .basic: client.basic
            case .post: client.post
            case .rs256: try signed(client, .rs256)
            case .es256: try signed(client, .es256)
            }
        }

        private func signed(
            _ client: CounterpartClient, _ algorithm: JSONWebTokenAlgorithm
        ) throws -> ClientAuthentication {
            try .privateKeyJWT(
                clientID: client.id, key: try TokenCounterparts.signer(algorithm), keyID: algorithm.rawValue)
        }
    }

    // MARK: Client credentials

    /// Fifty calls at the same time with a revoked token lead to one token request, and to at most one replay each.
    @Test(.covers(.authlib, .clientCredentials, .basic, .post, .privateKeyJWT), arguments: Method.allCases)
    func clientCredentials(method: Method) async throws {
        let client = try await client([method.name], ["client_credentials"])
        let endpoint = try client.endpoint(try method.authentication(client))
        let stack = try client.stack(
            ClientCredentials(endpoint: endpoint), key: endpoint.key(scopes: ["read"]))
        #expect(try await stack.get("/api/first").status == 200)
        for round in 2...4 {
            try await client.expire()
            try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
                for call in 0..<50 { group.addTask { try await stack.get("/api/\(call)") } }
                for try await response in group {
                    #expect(response.status == 200 && response.exchange.attempts <= 2)
                }
            }
            #expect(try await client.counts() == .init(requests: round, granted: round))
        }
        if method.name == "client_assertion_jwt" { #expect(try await client.statistic("assertions") == 4) }
    }

    @Test(arguments: Method.allCases)
    func aClientThatIsNotKnownIsMisconfigured(method: Method) async throws {
        // The server accepts another method only.
        let other = method == .basic ? Method.post : .basic
        let client = try await client([other.name], ["client_credentials"])
        let endpoint = try client.endpoint(try method.authentication(client))
        let stack = try client.stack(ClientCredentials(endpoint: endpoint), key: endpoint.key())
        for _ in 0..<3 {
            let error = await #expect(throws: NetworkError.self) { try await stack.get("/api/x") }
            #expect(error?.code == .credentialMisconfigured)
        }
        #expect(try await client.requests() == 1)
    }

    @Test func aSignatureOfSomebodyElseIsNoProof() async throws {
        let client = try await client(["client_assertion_jwt"], ["client_credentials"])
        let key = try JSONWebTokenKey(pem: TokenCounterparts.pem("other"), algorithm: .rs256)
        let endpoint = try client.endpoint(
            try .privateKeyJWT(clientID: client.id, key: key, keyID: "RS256"))
        let stack = try client.stack(ClientCredentials(endpoint: endpoint), key: endpoint.key())
        let error = await #expect(throws: NetworkError.self) { try await stack.get("/api/x") }
        #expect(error?.code == .credentialMisconfigured)
        #expect(try await client.granted() == 0)
    }

    /// A 403 that names no scope is the caller's response.
    @Test func scopesThatAreMissingAreToldApart() async throws {
        let client = try await client([Method.basic.name], ["client_credentials"])
        let endpoint = try client.endpoint(client.basic)
        let stack = try client.stack(
            ClientCredentials(endpoint: endpoint), key: endpoint.key(scopes: ["write"]))
        let response = try await stack.get("/api/x")
        #expect(response.status == 403 && response.exchange.attempts == 1)
        #expect(try await client.requests() == 1)
    }

    // MARK: Refresh tokens

    @Test(.covers(.authlib, .rotation), arguments: [Method.basic, .post, .es256])
    func refreshTokensRotate(method: Method) async throws {
        let client = try await client([method.name], ["refresh_token"])
        let endpoint = try client.endpoint(try method.authentication(client))
        let stack = try client.stack(
            RefreshTokenGrant(endpoint: endpoint), key: endpoint.key(), grant: try await client.signIn())
        for round in 1...5 {
            try await client.expire()
            try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
                for call in 0..<20 { group.addTask { try await stack.get("/api/\(call)") } }
                for try await response in group { #expect(response.status == 200) }
            }
            #expect(try await client.counts() == .init(requests: round, granted: round))
        }
    }

    @Test(.covers(.authlib, .deadRefreshToken)) func aRefreshTokenThatIsSpentAsksForASignIn() async throws {
        let client = try await client([Method.basic.name], ["refresh_token"])
        let endpoint = try client.endpoint(client.basic)
        let grant = try await client.signIn()
        let stack = try client.stack(
            RefreshTokenGrant(endpoint: endpoint), key: endpoint.key(), grant: grant)
        #expect(try await client.trade(grant.refreshToken).value != nil)
        for _ in 0..<3 {
            let error = await #expect(throws: NetworkError.self) { try await stack.get("/api/x") }
            #expect(error?.code == .reauthenticationRequired)
        }
        #expect(try await client.requests() == 2)
        stack.coordinator.signIn(stack.key, with: try await client.signIn())
        #expect(try await stack.get("/api/x").status == 200)
    }

    // MARK: Assertions

    /// The algorithms that the server accepts by default.
    @Test(arguments: [JSONWebTokenAlgorithm.rs256, .es256])
    func assertionsAreTradedForTokens(algorithm: JSONWebTokenAlgorithm) async throws {
        let client = try await client(["none"], [Self.assertion])
        let endpoint = try client.endpoint(.publicClient(clientID: client.id))
        let assertion = try SignedAssertion(
            issuer: client.id, subject: nil, key: try TokenCounterparts.signer(algorithm),
            keyID: algorithm.rawValue)
        let acquirer = JWTBearerGrant(endpoint: endpoint, assertion: assertion)
        let stack = try client.stack(acquirer, key: endpoint.key(scopes: ["read"], subject: "person-1"))
        #expect(try await stack.get("/api/x").status == 200)
        try await client.expire()
        #expect(try await stack.get("/api/x").exchange.attempts == 2)
        #expect(try await client.granted() == 2)
        // A subject that the server does not know.
        let stranger = try client.stack(acquirer, key: endpoint.key(scopes: ["read"], subject: "nobody"))
        let error = await #expect(throws: NetworkError.self) { try await stranger.get("/api/x") }
        #expect(error?.code == .reauthenticationRequired)
    }

    // MARK: Revocation

    @Test(.covers(.authlib, .revocation)) func aSignOutRevokes() async throws {
        let client = try await client([Method.basic.name], ["refresh_token"])
        let endpoint = try client.endpoint(client.basic)
        let grant = try await client.signIn()
        let (revocations, continuation) = AsyncStream<Void>.makeStream()
        let acquirer = RevocationWatch(RefreshTokenGrant(endpoint: endpoint)) { continuation.yield() }
        let stack = try client.stack(acquirer, key: endpoint.key(), grant: grant)
        #expect(try await stack.get("/api/x").status == 200)
        stack.coordinator.signOut(stack.key, revoking: true)
        for await _ in revocations { break }
        #expect(try await client.trade(grant.refreshToken).code == .reauthenticationRequired)
        // The access token is revoked as well, and a second revocation is no error.
        let probe = try client.stack(acquirer, key: endpoint.key(), grant: grant)
        let error = await #expect(throws: NetworkError.self) { try await probe.get("/api/x") }
        #expect(error?.code == .reauthenticationRequired)
        try await endpoint.revoke(grant, deadline: .after(.seconds(30)))
    }
}

/// Calls back when a revocation has ended.
struct RevocationWatch: TokenAcquirer {
    private let acquirer: any TokenAcquirer
    private let onRevoked: @Sendable () -> Void

    init(_ acquirer: any TokenAcquirer, onRevoked: @escaping @Sendable () -> Void) {
        self.acquirer = acquirer
        self.onRevoked = onRevoked
    }

    func acquire(_ request: TokenRequest) async throws -> TokenGrant { try await acquirer.acquire(request) }

    func revoke(_ grant: TokenGrant, deadline: Deadline) async throws {
        defer { onRevoked() }
        try await acquirer.revoke(grant, deadline: deadline)
    }
}
