import GatewayAuth
import GatewayClient
import GatewayCore
import GatewayCurl
import GatewayTesting
import Testing

/// Clients that prove themselves by certificates, and tokens that are bound to those (RFC 8705): the whole stack against
/// an authorization server and an API by Authlib behind nginx.
@Suite(.needsAuthlibTLS, .timeLimit(.minutes(2))) struct MutualTLSTests {
    private let server = TokenCounterparts.authlibTLS ?? ""

    private func client(_ grants: [String] = ["client_credentials"]) async throws -> CounterpartClient {
        try await CounterpartClient(
            TokenCounterparts.authlib, methods: ["tls_client_auth"], grants: grants)
    }

    private func configuration(_ certificate: String?) -> CurlConfiguration {
        var configuration = CurlConfiguration()
        configuration.caFile = TokenCounterparts.certificate
        configuration.clientCertificate = certificate.map { name in
            CurlConfiguration.ClientCertificate(
                certificateFile: TokenCounterparts.path(name + ".pem"),
                keyFile: TokenCounterparts.path(name + "-key.pem"))
        }
        return configuration
    }

    private func endpoint(_ client: CounterpartClient, _ certificate: String?) throws -> TokenEndpoint {
        try TokenEndpoint(
            server + client.paths.token, client: .mutualTLS(clientID: client.id),
            transport: CurlTransport(configuration: configuration(certificate)))
    }

    /// - Parameters:
    ///   - certificate: what token requests show.
    ///   - shown: what calls show.
    private func stack(
        _ client: CounterpartClient, _ certificate: String?, calls shown: String? = "client",
        grant: TokenGrant? = nil
    ) throws -> CounterpartStack {
        let endpoint = try endpoint(client, certificate)
        let acquirer: any TokenAcquirer =
            grant == nil ? ClientCredentials(endpoint: endpoint) : RefreshTokenGrant(endpoint: endpoint)
        return try CounterpartStack(server, acquirer, key: endpoint.key(scopes: ["read"]), grant: grant) {
            $0.transport = configuration(shown)
        }
    }

    /// Twenty calls at once with a token that no longer counts: one token request.
    @Test func aCertificateProvesTheClient() async throws {
        let client = try await client()
        let stack = try stack(client, "client")
        #expect(try await stack.get("/api/first").status == 200)
        for round in 2...3 {
            try await client.expire()
            try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
                for call in 0..<20 { group.addTask { try await stack.get("/api/\(call)") } }
                for try await response in group { #expect(response.status == 200) }
            }
            #expect(try await client.counts() == .init(requests: round, granted: round))
        }
    }

    @Test func refreshTokensAreTradedByIt() async throws {
        let client = try await client(["refresh_token"])
        let stack = try stack(client, "client", grant: try await client.signIn())
        for round in 1...3 {
            try await client.expire()
            #expect(try await stack.get("/api/\(round)").status == 200)
            #expect(try await client.counts() == .init(requests: round, granted: round))
        }
    }

    /// Somebody else's certificate, and none: one request, and nobody asks again.
    @Test(arguments: ["other-client", nil]) func anotherCertificateIsNoProof(certificate: String?)
        async throws
    {
        let client = try await client()
        let stack = try stack(client, certificate)
        for _ in 0..<3 {
            let error = await #expect(throws: NetworkError.self) { try await stack.get("/api/x") }
            #expect(error?.code == .credentialMisconfigured)
        }
        #expect(try await client.counts() == .init(requests: 1, granted: 0))
    }

    /// nginx refuses it with a page of HTML.
    @Test func aCertificateThatNobodyTrustsGetsNowhere() async throws {
        let client = try await client()
        let stack = try stack(client, "stranger")
        let error = await #expect(throws: NetworkError.self) { try await stack.get("/api/x") }
        #expect(error?.code == .credentialMisconfigured)
        #expect(try await client.counts() == .init(requests: 0, granted: 0))
    }

    /// A token that was got with a certificate counts on connections that show that one alone.
    @Test(arguments: [("client", 200, 1), ("other-client", 401, 2), (nil, 401, 2)] as [(String?, Int, Int)])
    func aBoundTokenCountsWithItsCertificate(shown: String?, status: Int, attempts: Int) async throws {
        let client = try await client()
        let response = try await stack(client, "client", calls: shown).get("/api/x")
        #expect(response.status == status && response.exchange.attempts == attempts)
        #expect(try await client.counts() == .init(requests: attempts, granted: attempts))
    }

    /// By what the environment says, as at a shell.
    @Test func theEnvironmentSaysIt() async throws {
        let client = try await client()
        let environment = try GatewayEnvironment([
            "GATEWAY_BASE_URL": server, "GATEWAY_TOKEN_URL": server + client.paths.token,
            "GATEWAY_CLIENT_ID": client.id, "GATEWAY_CLIENT_AUTH": "tls", "GATEWAY_SCOPE": "read",
            "GATEWAY_CA_FILE": TokenCounterparts.certificate,
            "GATEWAY_CLIENT_CERTIFICATE_FILE": TokenCounterparts.path("client.pem"),
            "GATEWAY_CLIENT_KEY_FILE": TokenCounterparts.path("client-key.pem"),
        ])
        let engine = try environment.configuration().makeEngine()
        #expect(try await engine.send(try HTTPRequest(.get, server + "/api/x")).status == 200)
        #expect(try await client.counts() == .init(requests: 1, granted: 1))
    }
}
