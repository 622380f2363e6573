import Foundation
import GatewayClient
import GatewayCore
import GatewayCurl
import GatewayDigest
import GatewayJSON
import GatewayTesting
import Testing

@testable import GatewayAuth

/// Tokens that are signed here, at APIs whose tokens others check: haproxy with its issuer's public keys in files, Apache
/// with mod_oauth2 and keys that it fetches.
@Suite(.timeLimit(.minutes(2))) struct ResourceServerTests {
    private static let issuer = "https://issuer.example.com/"

    /// What can be wrong with a token.
    enum Fault: String, Sendable, CaseIterable {
        case ended, endless, changed, otherKey, unsigned, otherAlgorithm, garbage
    }

    private static func claims(_ changes: [String: JSONValue] = [:]) -> [String: JSONValue] {
        let now = TokenCounterparts.now
        let claims: [String: JSONValue] = [
            "iss": .string(issuer), "sub": "person", "iat": .number(JSONNumber(now)),
            "exp": .number(JSONNumber(now + 300)),
        ]
        return claims.merging(changes) { $1 }.filter { $0.value != .null }
    }

    private static func token(
        _ algorithm: JSONWebTokenAlgorithm = .rs256, _ changes: [String: JSONValue] = [:]
    ) throws -> Secret {
        try JSONWebToken.sign(
            claims: claims(changes), key: TokenCounterparts.signer(algorithm), keyID: algorithm.rawValue)
    }

    private static func token(with fault: Fault) throws -> Secret {
        switch fault {
        case .ended: return try token(.rs256, ["exp": .number(JSONNumber(TokenCounterparts.now - 5))])
        case .endless: return try token(.rs256, ["exp": .null])
        case .changed:
            let parts = try token().exposed.split(separator: ".")
            let other = try claims(["sub": "admin"]).jsonBytes()
            return Secret("\(parts[0]).\(Base64.encodeURL(other)).\(parts[2])")
        case .otherKey:
            let key = try JSONWebTokenKey(pem: TokenCounterparts.pem("other"), algorithm: .rs256)
            return try JSONWebToken.sign(claims: claims(), key: key, keyID: "RS256")
        case .unsigned:
            let header = Base64.encodeURL(Array(#"{"alg":"none","typ":"JWT"}"#.utf8))
            return Secret("\(header).\(Base64.encodeURL(try claims().jsonBytes())).")
        case .otherAlgorithm:
            // Signed with the one, named as the other.
            let parts = try token(.es256).exposed.split(separator: ".")
            let header = Base64.encodeURL(Array(#"{"alg":"RS256","kid":"RS256","typ":"JWT"}"#.utf8))
            return Secret("\(header).\(parts[1]).\(parts[2])")
        case .garbage: return Secret("c29tZXRoaW5nIGVsc2U")
        }
    }

    /// Grants for an hour, whatever the tokens themselves say.
    private static func acquirer(
        _ token: @escaping @Sendable (Int) throws -> Secret
    ) -> ScriptedAcquirer {
        ScriptedAcquirer { _, index in
            TokenGrant(accessToken: try token(index), expiresIn: .seconds(3600))
        }
    }

    private static func stack(
        _ server: String?, _ acquirer: any TokenAcquirer,
        _ change: (inout GatewayConfiguration) -> Void = { _ in }
    ) throws -> CounterpartStack {
        try CounterpartStack(server ?? "", acquirer, key: .default, change)
    }

    // MARK: Good and bad tokens

    private func areLetIn(_ server: String?, _ algorithm: JSONWebTokenAlgorithm) async throws -> HTTPResponse
    {
        let acquirer = Self.acquirer { _ in try Self.token(algorithm) }
        let stack = try Self.stack(server, acquirer)
        for _ in 0..<20 {
            let response = try await stack.get("/ok")
            #expect(response.status == 200 && response.exchange.attempts == 1)
        }
        #expect(acquirer.count == 1)
        return try await stack.get("/ok")
    }

    private func areRenewedOnce(_ server: String?, _ fault: Fault) async throws {
        let acquirer = Self.acquirer { $0 == 0 ? try Self.token(with: fault) : try Self.token(.es256) }
        let stack = try Self.stack(server, acquirer)
        try await withThrowingTaskGroup(of: HTTPResponse.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await stack.engine.send(
                        try HTTPRequest(.post, stack.server + "/ok", body: .text("something")))
                }
            }
            for try await response in group {
                #expect(response.status == 200 && response.exchange.attempts <= 2)
            }
        }
        #expect(acquirer.count == 2)
        // Where the next one is no better the answer is the caller's.
        let worse = Self.acquirer { _ in try Self.token(with: fault) }
        let response = try await Self.stack(server, worse).get("/ok")
        #expect(response.status == 401 && response.exchange.attempts == 2 && worse.count == 2)
        #expect(response.fields[.wwwAuthenticate]?.contains("invalid_token") == true)
    }

    @Test(.needsHAProxy, arguments: [JSONWebTokenAlgorithm](JSONWebTokenAlgorithm.asymmetric) + [.hs256])
    func haproxyLetsThemIn(algorithm: JSONWebTokenAlgorithm) async throws {
        let response = try await areLetIn(TokenCounterparts.haproxy, algorithm)
        #expect(response.fields["X-Algorithm"] == algorithm.rawValue)
    }

    @Test(.needsHAProxy, arguments: Fault.allCases)
    func whatHaproxyRefusesIsRenewedOnce(fault: Fault) async throws {
        try await areRenewedOnce(TokenCounterparts.haproxy, fault)
    }

    @Test(.needsApache, arguments: [JSONWebTokenAlgorithm](JSONWebTokenAlgorithm.asymmetric))
    func apacheLetsThemIn(algorithm: JSONWebTokenAlgorithm) async throws {
        let response = try await areLetIn(TokenCounterparts.apache, algorithm)
        #expect(response.fields["X-User"] == "person")
    }

    @Test(.needsApache, arguments: Fault.allCases)
    func whatApacheRefusesIsRenewedOnce(fault: Fault) async throws {
        try await areRenewedOnce(TokenCounterparts.apache, fault)
    }

    // MARK: Tokens that are bound to a certificate (RFC 8705 §3)

    /// `cnf` of a token for the holder of a certificate.
    private static func confirmation(_ name: String) throws -> JSONValue {
        let text = String(decoding: try TokenCounterparts.file(name + ".pem"), as: UTF8.self)
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("-----") }
        let der = try #require(Data(base64Encoded: lines.joined()))
        return ["x5t#S256": .string(Base64.encodeURL(SHA256.digest(der)))]
    }

    private func status(certificate: String?, bound: String?) async throws -> (Int, Int) {
        let acquirer = Self.acquirer { _ in
            try Self.token(.es256, ["cnf": bound.map { try Self.confirmation($0) } ?? .null])
        }
        let stack = try Self.stack(TokenCounterparts.apacheTLS, acquirer) {
            $0.transport.caFile = TokenCounterparts.certificate
            if let certificate {
                $0.transport.clientCertificate = CurlConfiguration.ClientCertificate(
                    certificateFile: TokenCounterparts.path(certificate + ".pem"),
                    keyFile: TokenCounterparts.path(certificate + "-key.pem"))
            }
        }
        let response = try await stack.get("/ok")
        return (response.status, response.exchange.attempts)
    }

    @Test(.needsApache) func aBoundTokenCountsWithItsCertificateAlone() async throws {
        #expect(try await status(certificate: "client", bound: "client") == (200, 1))
        #expect(try await status(certificate: "other-client", bound: "other-client") == (200, 1))
        #expect(try await status(certificate: "other-client", bound: "client") == (401, 2))
        #expect(try await status(certificate: nil, bound: "client") == (401, 2))
        #expect(try await status(certificate: "client", bound: nil) == (401, 2))
    }
}
