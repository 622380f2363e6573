import GatewayAuth
import GatewayClient
import GatewayCore
import GatewayCurl
import GatewayJSON
import GatewayTesting
import Testing

/// Assertions (RFC 7523 §2.1) and tokens to exchange (RFC 8693) that PyJWT signs, at the test kit's gateway.
@Suite(.needsPyJWT, .timeLimit(.minutes(2))) struct PyJWTAssertionTests {
    private static let issuer = "https://issuer.example.com/"

    private let server = TokenCounterparts.pyjwt ?? ""

    private static func gateway(trusting algorithm: JSONWebTokenAlgorithm = .rs256) throws -> EmbeddedGateway
    {
        var configuration = EmbeddedGateway.Configuration()
        configuration.trustedIssuers = [issuer: try TokenCounterparts.checker(algorithm)]
        return try EmbeddedGateway.start(configuration)
    }

    /// What PyJWT signs, anew each time.
    private func source(
        _ algorithm: JSONWebTokenAlgorithm, _ changes: [String: JSONValue] = [:], id: String? = nil,
        key: String? = nil
    ) -> SecretSource {
        let (url, issuer) = (server + "/sign", Self.issuer)
        return .function {
            let now = TokenCounterparts.now
            let claims: [String: JSONValue] = [
                "iss": .string(issuer), "sub": "person", "exp": .number(JSONNumber(now + 60)),
                "iat": .number(JSONNumber(now)), "jti": .string(id ?? "\(SystemRandomSource().next())"),
            ]
            let answer = try await TokenCounterparts.ask(
                url,
                [
                    "algorithm": .string(algorithm.rawValue), "key": key.map { .string($0) } ?? .null,
                    "claims": .object(claims.merging(changes) { $1 }.filter { $0.value != .null }),
                ])
            let token = Secret(try #require(answer["token"]?.string))
            SecretLedger.note(token, .assertion)
            return token
        }
    }

    private func stack(
        _ gateway: EmbeddedGateway, _ make: (TokenEndpoint) -> any TokenAcquirer
    ) throws -> CounterpartStack {
        let endpoint = try TokenEndpoint(
            gateway.tokenURL, client: .basic(clientID: gateway.client.id, secret: gateway.client.secret),
            transport: CurlTransport())
        return try CounterpartStack(
            gateway.origin.description, make(endpoint), key: endpoint.key(scopes: ["books:read"]))
    }

    private func whoAmI(_ gateway: EmbeddedGateway) {
        gateway.route(.get, "/whoami", access: .anyToken) { .text($0.token?.subject ?? "nobody") }
    }

    @Test(arguments: JSONWebTokenAlgorithm.allCases.filter(JSONWebTokenAlgorithm.asymmetric.contains))
    func theirTokensAreTraded(algorithm: JSONWebTokenAlgorithm) async throws {
        let gateway = try Self.gateway(trusting: algorithm)
        defer { gateway.shutdown() }
        whoAmI(gateway)
        let exchanging = try stack(gateway) {
            TokenExchange(endpoint: $0, subject: TokenExchange.Token(source(algorithm), type: .jwt))
        }
        let asserting = try stack(gateway) {
            JWTBearerGrant(
                endpoint: $0, assertion: source(algorithm, ["aud": .string(gateway.tokenURL)]))
        }
        for stack in [exchanging, asserting] {
            for _ in 0..<3 {
                let response = try await stack.get("/whoami")
                #expect(response.status == 200 && response.body.bytes == Array("person".utf8))
                gateway.revokeCurrentTokens()
            }
        }
        #expect(gateway.statistics.tokenRequestCount == 6)
    }

    @Test(arguments: ["ended", "stranger", "nobody", "forged", "other algorithm"])
    func badTokensAreNotTraded(fault: String) async throws {
        let gateway = try Self.gateway()
        defer { gateway.shutdown() }
        whoAmI(gateway)
        var changes: [String: JSONValue] = ["aud": .string(gateway.tokenURL)]
        var (algorithm, key) = (JSONWebTokenAlgorithm.rs256, String?.none)
        switch fault {
        case "ended": changes["exp"] = .number(JSONNumber(TokenCounterparts.now - 60))
        case "stranger": changes["iss"] = "https://stranger.example.com/"
        case "nobody": changes["sub"] = .null
        case "forged": key = "other"
        default: algorithm = .es256
        }
        let source = source(algorithm, changes, key: key)
        let exchanging = try stack(gateway) {
            TokenExchange(endpoint: $0, subject: TokenExchange.Token(source, type: .jwt))
        }
        let asserting = try stack(gateway) { JWTBearerGrant(endpoint: $0, assertion: source) }
        for (stack, code) in [
            (exchanging, NetworkError.credentialMisconfigured), (asserting, .reauthenticationRequired),
        ] {
            let error = await #expect(throws: NetworkError.self) { try await stack.get("/whoami") }
            #expect(error?.code == code)
        }
    }

    /// An assertion counts once, for the server that it names.
    @Test func anAssertionOfTheirsCountsOnce() async throws {
        let gateway = try Self.gateway()
        defer { gateway.shutdown() }
        whoAmI(gateway)
        let source = source(.rs256, ["aud": .string(gateway.tokenURL)], id: "the same")
        let stack = try stack(gateway) { JWTBearerGrant(endpoint: $0, assertion: source) }
        #expect(try await stack.get("/whoami").status == 200)
        gateway.revokeCurrentTokens()
        let error = await #expect(throws: NetworkError.self) { try await stack.get("/whoami") }
        #expect(error?.code == .reauthenticationRequired)
        let elsewhere = self.source(.rs256, ["aud": "https://elsewhere.example.com/token"])
        let other = try self.stack(gateway) { JWTBearerGrant(endpoint: $0, assertion: elsewhere) }
        let refused = await #expect(throws: NetworkError.self) { try await other.get("/whoami") }
        #expect(refused?.code == .reauthenticationRequired)
    }
}
