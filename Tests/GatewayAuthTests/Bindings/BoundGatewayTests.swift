import GatewayCore
import GatewayCurl
import GatewayDigest
import GatewayJSON
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayAuth

/// Bound tokens against a server that checks proofs by the list of RFC 9449 §4.3, and that server against good and bad
/// proofs.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct BoundGatewayTests {
    private func rig(
        _ mode: EmbeddedGateway.TokenBinding, isPublic: Bool = false
    ) throws -> (gateway: EmbeddedGateway, binding: DPoPBinding, endpoint: TokenEndpoint) {
        var configuration = EmbeddedGateway.Configuration()
        configuration.binding = mode
        configuration.clients[0].isPublic = isPublic
        let gateway = try EmbeddedGateway.start(configuration)
        let binding = try DPoPBinding()
        let client: ClientAuthentication =
            isPublic
            ? .publicClient(clientID: gateway.client.id)
            : .basic(clientID: gateway.client.id, secret: gateway.client.secret)
        let endpoint = try TokenEndpoint(
            gateway.tokenURL, client: client, others: .init(), binding: binding, transport: CurlTransport())
        return (gateway, binding, endpoint)
    }

    private func engine(
        _ gateway: EmbeddedGateway, _ coordinator: TokenRefreshCoordinator, _ key: TokenKey
    ) -> AuthenticatedRequestEngine {
        AuthenticatedRequestEngine(
            transport: CurlTransport(), coordinator: coordinator,
            scope: CredentialScope([gateway.origin], key: key))
    }

    @Test(arguments: [true, false]) func callsAreMadeWithBoundTokens(withNonces: Bool) async throws {
        let (gateway, _, endpoint) = try rig(withNonces ? .requiredWithNonces : .required)
        defer { gateway.shutdown() }
        let coordinator = TokenRefreshCoordinator(acquirer: ClientCredentials(endpoint: endpoint))
        let engine = engine(gateway, coordinator, endpoint.key())
        let url = gateway.apiURL + "/books?limit=3"
        #expect(try await engine.send(try HTTPRequest(.get, url)).status == 200)
        gateway.revokeCurrentTokens()
        gateway.rotateNonce(at: .api)
        gateway.rotateNonce(at: .token)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<40 {
                group.addTask { try await engine.send(try HTTPRequest(.get, url)).status }
            }
            for try await status in group { #expect(status == 200) }
        }
        #expect(gateway.statistics.tokensGranted == 2)
        gateway.rotateNonce(at: .api)
        let next = try await engine.send(try HTTPRequest(.get, url))
        #expect(next.status == 200)
        #expect(next.exchange.attempts == (withNonces ? 2 : 1))
        #expect(gateway.statistics.tokensGranted == 2)
        gateway.refuseNonces(true)
        if withNonces { #expect(try await engine.send(try HTTPRequest(.get, url)).status == 401) }
        #expect(gateway.statistics.tokensGranted == 2)
    }

    /// A public client's refresh token is worth nothing without the key (RFC 9449 §5).
    @Test func aRefreshTokenOfAPublicClientIsBound() async throws {
        let (gateway, _, endpoint) = try rig(.required, isPublic: true)
        defer { gateway.shutdown() }
        let devices = try TokenEndpoint(
            gateway.tokenURL, client: endpoint.client,
            others: .init(deviceAuthorizationURL: "\(gateway.tokenOrigin)/oauth/device_authorization"),
            binding: endpoint.binding, transport: CurlTransport(), clock: JumpingClock())
        let grant = try await DeviceAuthorization(endpoint: devices).grant(for: endpoint.key()) { prompt in
            gateway.approveDevice(userCode: prompt.userCode)
        }
        #expect(grant.type == .dpop)
        let thief = try TokenEndpoint(
            gateway.tokenURL, client: endpoint.client, others: .init(), binding: try DPoPBinding(),
            transport: CurlTransport())
        for (endpoint, code) in [
            (thief, NetworkError.Code?.some(.reauthenticationRequired)), (endpoint, nil),
        ] {
            let coordinator = TokenRefreshCoordinator(
                acquirer: RefreshTokenGrant(endpoint: endpoint, initial: grant.refreshToken))
            let result = await outcome { () throws(NetworkError) in try await coordinator.token() }
            #expect(result.code == code)
        }
    }

    // MARK: What the server refuses

    /// What is wrong with a proof.
    enum Fault: String, CaseIterable, Sendable {
        case none, missing, twice, noToken, wrongType, noKey, privateKey, otherKey, otherSignature,
            symmetric, wrongMethod, wrongAddress, wrongHost, withQuery, tooOld, tooYoung, noTime,
            noIdentifier, noHash, wrongHash, wrongNonce, noNonce
    }

    private static let otherKey = Result { try CurveKey.generate() }

    private func proof(
        _ fault: Fault, _ gateway: EmbeddedGateway, _ token: Secret, key: JSONWebTokenKey
    ) throws -> String {
        func jwk(_ key: JSONWebTokenKey) throws -> [String: JSONValue] {
            let point = try CurveKey.publicPoint(of: key)
            return [
                "kty": "EC", "crv": .string(point.curve), "x": .string(point.x), "y": .string(point.y),
            ]
        }
        var header: [String: JSONValue] = [
            "typ": "dpop+jwt", "alg": "ES256", "jwk": .object(try jwk(key)),
        ]
        var claims: [String: JSONValue] = [
            "jti": .string("\(fault)-\(SystemRandomSource().next())"), "htm": "GET",
            "htu": .string("\(gateway.apiURL)/books"),
            "iat": .number(JSONNumber(SystemClock().unixTime.components.seconds)),
            "ath": .string(Base64.encodeURL(SHA256.digest(token.exposed.utf8))),
        ]
        claims["nonce"] = gateway.currentNonce.map { .string($0) }
        let now = SystemClock().unixTime.components.seconds
        var signer = key
        switch fault {
        case .none, .missing, .twice, .noToken, .otherSignature: break
        case .wrongType: header["typ"] = "jwt"
        case .noKey: header["jwk"] = nil
        case .privateKey:
            var members = try jwk(key)
            members["d"] = "AAAA"
            header["jwk"] = .object(members)
        case .otherKey:
            signer = try Self.otherKey.get()
            header["jwk"] = .object(try jwk(signer))
        case .symmetric:
            signer = try JSONWebTokenKey(secret: Array(repeating: 7, count: 32))
            header["alg"] = "HS256"
            header["jwk"] = ["kty": "oct", "k": "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc"]
        case .wrongMethod: claims["htm"] = "POST"
        case .wrongAddress: claims["htu"] = .string("\(gateway.apiURL)/orders")
        case .wrongHost: claims["htu"] = .string("https://elsewhere.example/v1/books")
        case .withQuery: claims["htu"] = .string("\(gateway.apiURL)/books?limit=3")
        case .tooOld: claims["iat"] = .number(JSONNumber(now - 3600))
        case .tooYoung: claims["iat"] = .number(JSONNumber(now + 3600))
        case .noTime: claims["iat"] = nil
        case .noIdentifier: claims["jti"] = nil
        case .noHash: claims["ath"] = nil
        case .wrongHash: claims["ath"] = .string(Base64.encodeURL(SHA256.digest("other".utf8)))
        case .wrongNonce: claims["nonce"] = "another"
        case .noNonce: claims["nonce"] = nil
        }
        if fault == .noToken { return "nothing" }
        let signed = try JSONWebToken.sign(header: header, payload: claims.jsonBytes(), key: signer).exposed
        // The signature of another text.
        guard fault == .otherSignature else { return signed }
        let other = try JSONWebToken.sign(header: header, payload: Array("{}".utf8), key: key).exposed
        let parts = (signed.split(separator: "."), other.split(separator: "."))
        return parts.0.dropLast().joined(separator: ".") + "." + (parts.1.last ?? "")
    }

    @Test(arguments: Fault.allCases) func badProofsAreRefused(fault: Fault) async throws {
        var configuration = EmbeddedGateway.Configuration()
        configuration.binding = .requiredWithNonces
        let gateway = try EmbeddedGateway.start(configuration)
        defer { gateway.shutdown() }
        let key = try CurveKey.generate()
        let binding = try DPoPBinding(key: key)
        let endpoint = try TokenEndpoint(
            gateway.tokenURL, client: .basic(clientID: gateway.client.id, secret: gateway.client.secret),
            others: .init(), binding: binding, transport: CurlTransport())
        let token = try await TokenRefreshCoordinator(acquirer: ClientCredentials(endpoint: endpoint))
            .token().accessToken

        func send(_ scheme: String, _ proofs: [String]) async throws -> HTTPResponse {
            var request = try HTTPRequest(.get, gateway.apiURL + "/books?limit=3")
            request.fields[.authorization] = scheme + " " + token.exposed
            for proof in proofs { request.fields.append(HTTPField.Name("DPoP"), proof) }
            return try await CurlTransport().send(request, context: RequestContext())
        }
        func error(_ response: HTTPResponse) -> String? {
            AuthenticationChallenge.parse(response.fields).first { $0.isScheme("DPoP") }?["error"]
        }

        let text = try proof(fault, gateway, token, key: key)
        let proofs = fault == .missing ? [] : fault == .twice ? [text, text] : [text]
        let response = try await send("DPoP", proofs)
        switch fault {
        case .none:
            #expect(response.status == 200)
            // A proof is good once, and a bound token is no bearer token.
            let replayed = try await send("DPoP", proofs)
            #expect(replayed.status == 401 && error(replayed) == "invalid_dpop_proof")
            let next = try proof(fault, gateway, token, key: key)
            #expect(try await send("Bearer", [next]).status == 401)
            #expect(try await send("Bearer", []).status == 401)
        case .wrongNonce, .noNonce:
            #expect(response.status == 401 && error(response) == "use_dpop_nonce")
            #expect(response.fields["DPoP-Nonce"] == gateway.currentNonce)
        default: #expect(response.status == 401 && error(response) == "invalid_dpop_proof")
        }
    }
}
