import GatewayCore
import GatewayCurl
import GatewayJSON
import GatewayTesting
import Testing

@testable import GatewayAuth

/// The nonce and the ID token of a sign-in with the scope `openid` (OpenID Connect Core 1.0 §3.1.2.1, §3.1.3.7).
@Suite(.timeLimit(.minutes(1))) struct IDTokenTests {
    private typealias Claims = [String: JSONValue]

    /// Replaces the ID token in token responses; `nil` for the claims leaves it out.
    private final class Forger: Transport {
        private let transport = CurlTransport()
        private let change: @Sendable (Claims) -> Claims?
        private let key: JSONWebTokenKey
        private let keyID: String?
        private let type: JSONWebTokenType

        init(
            key: JSONWebTokenKey? = nil, keyID: String? = nil, type: JSONWebTokenType = .jwt,
            _ change: @escaping @Sendable (Claims) -> Claims?
        ) throws {
            self.key = try key ?? JSONWebTokenKey(pem: TestKeys.p256.pem, algorithm: .es256)
            self.keyID = keyID
            self.type = type
            self.change = change
        }

        func send(
            _ request: HTTPRequest, context: RequestContext
        ) async throws(NetworkError) -> HTTPResponse {
            var response = try await transport.send(request, context: context)
            let bytes = try await response.body.collect(upToBytes: 1 << 20)
            response.body = .bytes((try? forged(bytes)) ?? bytes)
            return response
        }

        private func forged(_ bytes: [UInt8]) throws -> [UInt8] {
            guard var members = try JSONValue(jsonBytes: bytes).object,
                let text = members["id_token"]?.string
            else { return bytes }
            let claims = change(try JSONWebToken(decoding: Secret(text)).claims)
            members["id_token"] = try claims.map {
                .string(
                    try JSONWebToken.sign(claims: $0, key: key, keyID: keyID, type: type).exposed)
            }
            return try JSONValue.object(members).jsonBytes()
        }
    }

    private func signIn(
        _ transport: any Transport = CurlTransport(),
        _ options: AuthorizationCode.Options = AuthorizationCode.Options(),
        scopes: [String] = ["openid", "books:read"],
        watching watch: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws -> Result<TokenGrant, NetworkError> {
        let rig = try await BrowserRig(options: options, transport: transport)
        defer { rig.gateway.shutdown() }
        return await rig.signIn(scopes: scopes) { url in
            watch(url)
            try await BrowserRig.browse(url)
        }
    }

    private static func nonces(_ url: String) -> [String] {
        BrowserRig.parameters(url).filter { $0.name == "nonce" }.map(\.value)
    }

    // MARK: Nonces

    @Test func aRandomNonceGoesWithOpenIDAndComesBack() async throws {
        let nonces = Locked<[[String]]>([])
        var tokens: [JSONWebToken] = []
        for _ in 0..<2 {
            let grant = try await signIn { url in nonces.withLock { $0.append(Self.nonces(url)) } }.get()
            tokens.append(try JSONWebToken(decoding: try #require(grant.idToken)))
            #expect(!String(reflecting: grant).contains("ey"))
        }
        let sent = nonces.withLock { $0 }
        #expect(sent.allSatisfy { $0.count == 1 && $0[0].utf8.count == 43 } && sent[0] != sent[1])
        #expect(tokens.map { $0.claims["nonce"]?.string } == sent.map(\.first))
        #expect(tokens.allSatisfy { $0.subject == "reader" })
    }

    @Test func withoutOpenIDThereIsNeither() async throws {
        let nonces = Locked<[String]>([])
        let grant = try await signIn(scopes: ["books:read"]) { url in
            nonces.withLock { $0 += Self.nonces(url) }
        }.get()
        let sent = nonces.withLock { $0 }
        #expect(sent.isEmpty && grant.idToken == nil)
    }

    @Test func aNonceOfTheCallersIsUsed() async throws {
        let nonces = Locked<[String]>([])
        let grant = try await signIn(
            CurlTransport(), AuthorizationCode.Options(parameters: ["nonce": "n-0S6"])
        ) { url in
            nonces.withLock { $0 += Self.nonces(url) }
        }.get()
        let token = try JSONWebToken(decoding: try #require(grant.idToken))
        let sent = nonces.withLock { $0 }
        #expect(sent == ["n-0S6"] && token.claims["nonce"] == "n-0S6")
    }

    // MARK: ID tokens

    /// What is wrong with an ID token.
    enum Fault: String, CaseIterable, Sendable {
        case isMissing, hasNoNonce, hasAnotherNonce, hasANonceOfAnotherType
        case isOfAnotherIssuer, hasNoIssuer
        case isForAnother, isForNobody, isForOthersToo, isForOthersAndIssuedToThem, isIssuedToAnother
        case hasEnded, hasNoEnd, isNotValidYet, hasNoSubject

        func change(_ claims: [String: JSONValue]) -> [String: JSONValue]? {
            var claims = claims
            switch self {
            case .isMissing: return nil
            case .hasNoNonce: claims["nonce"] = nil
            case .hasAnotherNonce: claims["nonce"] = "x"
            case .hasANonceOfAnotherType: claims["nonce"] = [claims["nonce"] ?? .null]
            case .isOfAnotherIssuer: claims["iss"] = .string((claims["iss"]?.string ?? "") + "/")
            case .hasNoIssuer: claims["iss"] = nil
            case .isForAnother: claims["aud"] = "stranger"
            case .isForNobody: claims["aud"] = nil
            case .isForOthersToo: claims["aud"] = [claims["aud"] ?? .null, "stranger"]
            case .isForOthersAndIssuedToThem:
                claims["aud"] = [claims["aud"] ?? .null, "stranger"]
                claims["azp"] = "stranger"
            case .isIssuedToAnother: claims["azp"] = "stranger"
            case .hasEnded: claims["exp"] = 1_000_000_000
            case .hasNoEnd: claims["exp"] = nil
            case .isNotValidYet: claims["nbf"] = 100_000_000_000
            case .hasNoSubject: claims["sub"] = nil
            }
            return claims
        }
    }

    @Test(arguments: Fault.allCases) func anIDTokenThatDoesNotAnswerIsRefused(fault: Fault) async throws {
        let result = try await signIn(try Forger { fault.change($0) })
        #expect(result.code == .idTokenInvalid)
        let text =
            #expect(throws: NetworkError.self) { try result.get() }.map { String(reflecting: $0) } ?? ""
        #expect(!text.contains("ey") && !text.contains("stranger"))
    }

    /// An access token must not be accepted as an ID token (RFC 8725 §3.11).
    @Test func anotherKindOfTokenIsRefused() async throws {
        #expect(try await signIn(try Forger(type: .accessToken) { $0 }).code == .idTokenInvalid)
    }

    @Test func aListOfAudiencesWithTheClientAsPartyIsAccepted() async throws {
        for others: JSONValue in [[], ["stranger"]] {
            let forger = try Forger { claims in
                guard let others = others.array, let client = claims["aud"] else { return nil }
                return claims.merging(["aud": .array([client] + others), "azp": client]) { $1 }
            }
            #expect(try await signIn(forger).code == nil)
        }
    }

    @Test(arguments: [
        (JSONValue.null, false), (.number(JSONNumber(-1000)), false), (.number(JSONNumber(-50)), true),
        (.string("0"), false),
    ])
    func aMaximumAgeIsChecked(offset: JSONValue, isAccepted: Bool) async throws {
        let forger = try Forger { claims in
            var claims = claims
            if let seconds = offset.number, let issued = claims["iat"]?.int {
                claims["auth_time"] = .number(JSONNumber(issued + (seconds.integer() ?? 0)))
            } else {
                claims["auth_time"] = offset == .null ? nil : offset
            }
            return claims
        }
        let result = try await signIn(forger, AuthorizationCode.Options(parameters: ["max_age": "60"]))
        let expected: NetworkError.Code? = isAccepted ? nil : .idTokenInvalid
        #expect(result.code == expected)
    }

    // MARK: Signatures

    private func options(_ keys: any Transport) throws -> AuthorizationCode.Options {
        AuthorizationCode.Options(idTokenKeys: try JSONWebKeySetSource(KeySetRig.url, transport: keys))
    }

    @Test func withKeysTheSignatureCounts() async throws {
        let set = try KeySetRig.set(["k"])
        let keys = ScriptedTransport { _, _ in .status(200, set) }
        let good = try await signIn(try Forger(keyID: "k") { $0 }, try options(keys))
        #expect(good.code == nil)
        let other = try Forger(key: try JSONWebTokenKey(pem: TestKeys.rsa.pem, algorithm: .rs256), keyID: "k")
        {
            $0
        }
        #expect(try await signIn(other, try options(keys)).code == .idTokenInvalid)
        // A shared secret is not among published keys.
        #expect(try await signIn(CurlTransport(), try options(keys)).code == .idTokenInvalid)
    }

    @Test func withoutTheKeysNothingIsAccepted() async throws {
        let keys = ScriptedTransport { _, _ in .status(503) }
        let result = try await signIn(try Forger(keyID: "k") { $0 }, try options(keys))
        #expect(result.code == .tokenUnavailable)
    }
}
