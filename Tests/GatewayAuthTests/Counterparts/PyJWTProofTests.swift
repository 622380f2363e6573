import GatewayAuth
import GatewayClient
import GatewayCore
import GatewayCurl
import GatewayJSON
import GatewayTesting
import Testing

/// Proofs of possession (RFC 9449) that PyJWT makes, at the test kit's gateway; and PyJWT's judgement of those that are made
/// here.
@Suite(.needsPyJWT, .timeLimit(.minutes(2))) struct PyJWTProofTests {
    private static let client = EmbeddedGateway.Client(id: "app", secret: Secret("secret-of-the-app-00"))

    private let server = TokenCounterparts.pyjwt ?? ""

    private static func gateway(_ binding: EmbeddedGateway.TokenBinding) throws -> EmbeddedGateway {
        var configuration = EmbeddedGateway.Configuration()
        configuration.clients = [client]
        configuration.binding = binding
        return try EmbeddedGateway.start(configuration)
    }

    // MARK: Proofs of theirs

    private func proof(
        _ method: HTTPMethod, _ url: String, token: Secret? = nil, nonce: String? = nil, fault: String? = nil,
        algorithm: JSONWebTokenAlgorithm = .es256
    ) async throws -> String {
        let answer = try await TokenCounterparts.ask(
            server + "/proof",
            [
                "method": .string(method.rawValue), "url": .string(url),
                "token": token.map { .string($0.exposed) } ?? .null,
                "nonce": nonce.map { .string($0) } ?? .null, "fault": fault.map { .string($0) } ?? .null,
                "algorithm": .string(algorithm.rawValue),
            ])
        return try #require(answer["proof"]?.string)
    }

    private func token(_ gateway: EmbeddedGateway, _ proof: String) async throws -> HTTPResponse {
        try await TokenCounterparts.send(
            try HTTPRequest(
                .post, gateway.tokenURL,
                fields: ["DPoP": proof, .contentType: "application/x-www-form-urlencoded"],
                body: .text(
                    "grant_type=client_credentials&client_id=app&client_secret=secret-of-the-app-00")))
    }

    private func books(_ gateway: EmbeddedGateway, _ token: Secret, _ proof: String) async throws
        -> HTTPResponse
    {
        try await TokenCounterparts.send(
            try HTTPRequest(
                .get, gateway.apiURL + "/books",
                fields: ["DPoP": proof, .authorization: "DPoP " + token.exposed]))
    }

    private func accessToken(_ response: HTTPResponse) throws -> Secret {
        let members = try JSONValue(jsonBytes: response.body.bytes ?? [])
        #expect(response.status == 200 && members["token_type"]?.string == "DPoP")
        let token = Secret(try #require(members["access_token"]?.string))
        SecretLedger.note(token, .accessToken)
        return token
    }

    private func error(_ response: HTTPResponse) throws -> String? {
        try JSONValue(jsonBytes: response.body.bytes ?? [])["error"]?.string
    }

    @Test(arguments: [JSONWebTokenAlgorithm.es256, .es384, .rs256])
    func goodProofsAreTaken(algorithm: JSONWebTokenAlgorithm) async throws {
        let gateway = try Self.gateway(.required)
        defer { gateway.shutdown() }
        let asked = try await proof(.post, gateway.tokenURL, algorithm: algorithm)
        let token = try accessToken(try await token(gateway, asked))
        let url = gateway.apiURL + "/books"
        for _ in 0..<20 {
            let shown = try await proof(.get, url, token: token, algorithm: algorithm)
            #expect(try await books(gateway, token, shown).status == 200)
            // Each proof counts once.
            #expect(try await books(gateway, token, shown).status == 401)
        }
        #expect(try await self.token(gateway, asked).status == 400)
    }

    @Test(arguments: [
        "jti", "htm", "htu", "iat", "type", "method", "address", "old", "future", "hash", "signature", "key",
        "private", "secret", "unsigned",
    ])
    func badProofsAreRefused(fault: String) async throws {
        let gateway = try Self.gateway(.required)
        defer { gateway.shutdown() }
        let refused = try await token(gateway, try await proof(.post, gateway.tokenURL, fault: fault))
        #expect(refused.status == 400)
        #expect(try error(refused) == "invalid_dpop_proof")
        let good = try await token(gateway, try await proof(.post, gateway.tokenURL))
        let token = try accessToken(good)
        let shown = try await proof(.get, gateway.apiURL + "/books", token: token, fault: fault)
        let response = try await books(gateway, token, shown)
        #expect(response.status == 401)
        #expect(response.fields[.wwwAuthenticate]?.contains("invalid_dpop_proof") == true)
    }

    @Test func aTokenCountsWithItsKeyAlone() async throws {
        let gateway = try Self.gateway(.required)
        defer { gateway.shutdown() }
        let token = try accessToken(try await token(gateway, try await proof(.post, gateway.tokenURL)))
        let url = gateway.apiURL + "/books"
        let other = try await proof(.get, url, token: token, algorithm: .es384)
        #expect(try await books(gateway, token, other).status == 401)
        // Nor without the hash of the token, nor as a bearer token.
        #expect(try await books(gateway, token, try await proof(.get, url)).status == 401)
        let bearer = try HTTPRequest(.get, url, fields: [.authorization: "Bearer " + token.exposed])
        #expect(try await TokenCounterparts.send(bearer).status == 401)
    }

    @Test func noncesAreDemanded() async throws {
        let gateway = try Self.gateway(.requiredWithNonces)
        defer { gateway.shutdown() }
        let first = try await token(gateway, try await proof(.post, gateway.tokenURL))
        #expect(try first.status == 400 && error(first) == "use_dpop_nonce")
        let nonce = try #require(first.fields["DPoP-Nonce"])
        let token = try accessToken(
            try await token(gateway, try await proof(.post, gateway.tokenURL, nonce: nonce)))
        let url = gateway.apiURL + "/books"
        let refused = try await books(
            gateway, token, try await proof(.get, url, token: token, nonce: nonce))
        #expect(refused.status == 401)
        #expect(refused.fields[.wwwAuthenticate]?.contains("use_dpop_nonce") == true)
        let next = try #require(refused.fields["DPoP-Nonce"])
        let shown = try await proof(.get, url, token: token, nonce: next)
        #expect(try await books(gateway, token, shown).status == 200)
    }

    // MARK: Proofs of ours

    /// A transport that keeps what is proven.
    private final class ProofRecorder: Transport {
        struct Shown: Sendable {
            let method: String
            let url: String
            let proof: String
            let token: Secret?
        }

        private let transport = CurlTransport()
        private let recorded = Locked<[Shown]>([])
        var shown: [Shown] { recorded.withLock { $0 } }

        func send(
            _ request: HTTPRequest, context: RequestContext
        ) async throws(NetworkError) -> HTTPResponse {
            if let proof = request.fields["DPoP"] {
                let token = request.fields[.authorization].flatMap {
                    $0.hasPrefix("DPoP ") ? Secret(String($0.dropFirst(5))) : nil
                }
                let path = request.target.prefix { $0 != "?" }
                recorded.withLock {
                    $0.append(
                        Shown(
                            method: request.method.rawValue, url: request.origin.description + path,
                            proof: proof, token: token))
                }
            }
            return try await transport.send(request, context: context)
        }
    }

    @Test(arguments: [JSONWebTokenAlgorithm.es256, .es384, .es512, nil])
    func proofsOfOursAreBelieved(algorithm: JSONWebTokenAlgorithm?) async throws {
        let gateway = try Self.gateway(.requiredWithNonces)
        defer { gateway.shutdown() }
        let binding = try DPoPBinding(key: try algorithm.map(TokenCounterparts.signer))
        let recorder = ProofRecorder()
        let endpoint = try TokenEndpoint(
            gateway.tokenURL, client: .basic(clientID: Self.client.id, secret: Self.client.secret),
            others: TokenEndpoint.Others(), binding: binding, transport: recorder)
        let coordinator = TokenRefreshCoordinator(
            acquirer: NotingAcquirer(ClientCredentials(endpoint: endpoint)))
        var configuration = GatewayConfiguration()
        configuration.authentication = GatewayConfiguration.Authentication(
            coordinator: coordinator,
            scope: CredentialScope([gateway.origin], key: endpoint.key(scopes: ["books:read"])))
        let engine = GatewayEngine(
            transport: recorder, tokenTransport: recorder, configuration: configuration)
        for number in 1...10 {
            let url = "\(gateway.apiURL)/books/bk-\(number)?page=\(number)"
            #expect(try await engine.send(try HTTPRequest(.get, url)).status == 200)
            if number == 5 { gateway.revokeCurrentTokens() }
        }
        let shown = recorder.shown
        #expect(shown.count >= 14)
        var ids: Set<String> = []
        for one in shown {
            let claimed = try JSONWebToken(decoding: Secret(one.proof))
            let answer = try await TokenCounterparts.ask(
                server + "/proven",
                [
                    "proof": .string(one.proof), "method": .string(one.method), "url": .string(one.url),
                    "token": one.token.map { .string($0.exposed) } ?? .null,
                    "nonce": claimed.claims["nonce"] ?? .null,
                ])
            #expect(answer["error"] == nil && answer["thumbprint"]?.string == binding.thumbprint)
            ids.insert(try #require(answer["id"]?.string))
        }
        #expect(ids.count == shown.count)
    }
}
