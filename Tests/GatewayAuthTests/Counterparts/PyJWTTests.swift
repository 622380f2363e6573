import GatewayAuth
import GatewayCore
import GatewayCurl
import GatewayJSON
import GatewayTesting
import Testing

/// PyJWT, over pyca/cryptography, verifies what is signed here, and signs what is verified here.
@Suite(.needsPyJWT, .timeLimit(.minutes(2))) struct PyJWTTests {
    private static let tokens = 6
    private static let issuer = "https://issuer.example.com/"
    private static let audience = "https://api.example.com"

    private let server = TokenCounterparts.pyjwt ?? ""

    /// Claims that are good for a minute, some of them in letters that are not ASCII.
    private static func claims(
        _ number: Int, _ changes: [String: JSONValue] = [:]
    ) -> [String: JSONValue] {
        let now = TokenCounterparts.now
        let claims: [String: JSONValue] = [
            "iss": .string(issuer), "aud": number % 2 == 0 ? .string(audience) : ["x", .string(audience)],
            "sub": .string("Zoë \(number) \u{1F511}"), "jti": .string("token-\(number)"),
            "exp": .number(JSONNumber(now + 60)), "iat": .number(JSONNumber(now)),
            "nbf": .number(JSONNumber(now)),
            "deep": ["list": [1, 2.5, true, .null, .string(String(repeating: "x", count: number * 50))]],
        ]
        return claims.merging(changes) { $1 }.filter { $0.value != .null }
    }

    private static var requirements: JSONWebTokenRequirements {
        JSONWebTokenRequirements(issuer: issuer, audience: audience)
    }

    // MARK: Signed here

    private func verified(
        _ token: Secret, _ algorithm: JSONWebTokenAlgorithm
    ) async throws -> JSONValue {
        SecretLedger.note(token, .accessToken)
        return try await TokenCounterparts.ask(
            server + "/verify",
            [
                "token": .string(token.exposed), "algorithm": .string(algorithm.rawValue),
                "audience": .string(Self.audience), "issuer": .string(Self.issuer),
            ])
    }

    @Test(arguments: JSONWebTokenAlgorithm.allCases)
    func whatIsSignedHereIsVerifiedThere(algorithm: JSONWebTokenAlgorithm) async throws {
        let key = try TokenCounterparts.signer(algorithm)
        for number in 0..<Self.tokens {
            let claims = Self.claims(number)
            // The one by libjwt, the other by libcrypto.
            let type: JSONWebTokenType = number % 2 == 0 ? .jwt : .accessToken
            let token = try JSONWebToken.sign(
                claims: claims, key: key, keyID: algorithm.rawValue, type: type)
            let answer = try await verified(token, algorithm)
            #expect(answer["claims"] == .object(claims), "\(algorithm) \(number)")
            #expect(answer["headers"]?["alg"]?.string == algorithm.rawValue)
            #expect(answer["headers"]?["kid"]?.string == algorithm.rawValue)
            #expect(answer["headers"]?["typ"]?.string?.lowercased() == type.name)
        }
    }

    @Test(arguments: JSONWebTokenAlgorithm.allCases)
    func whatIsWrongIsRefusedThere(algorithm: JSONWebTokenAlgorithm) async throws {
        let key = try TokenCounterparts.signer(algorithm)
        let past: JSONValue = .number(JSONNumber(TokenCounterparts.now - 60))
        for (changes, error) in [
            (["exp": past], "ExpiredSignatureError"), (["exp": .null], "MissingRequiredClaimError"),
            (["nbf": .number(JSONNumber(TokenCounterparts.now + 600))], "ImmatureSignatureError"),
            (["aud": "other"], "InvalidAudienceError"), (["iss": "other"], "InvalidIssuerError"),
        ] as [([String: JSONValue], String)] {
            let token = try JSONWebToken.sign(claims: Self.claims(0, changes), key: key)
            #expect(try await verified(token, algorithm)["error"]?.string == error)
        }
        // One bit of the claims, of the signature.
        let good = try JSONWebToken.sign(claims: Self.claims(0), key: key).exposed
        let parts = good.split(separator: ".").map(String.init)
        for part in 1...2 {
            var changed = parts
            var bytes = try #require(Base64.decodeURL(changed[part].utf8))
            bytes[bytes.count / 2] ^= 1
            changed[part] = Base64.encodeURL(bytes)
            let token = Secret(changed.joined(separator: "."))
            let error = try await verified(token, algorithm)["error"]?.string
            #expect(error == "InvalidSignatureError" || part == 1 && error == "DecodeError")
        }
        let next = JSONWebTokenAlgorithm.allCases.first { $0 != algorithm } ?? algorithm
        let other = try JSONWebToken.sign(claims: Self.claims(0), key: TokenCounterparts.signer(next))
        #expect(try await verified(other, algorithm)["error"]?.string == "InvalidAlgorithmError")
    }

    // MARK: Signed there

    private func signed(
        _ algorithm: JSONWebTokenAlgorithm, _ claims: [String: JSONValue], key: String? = nil,
        headers: [String: JSONValue] = [:]
    ) async throws -> Secret {
        let answer = try await TokenCounterparts.ask(
            server + "/sign",
            [
                "algorithm": .string(algorithm.rawValue), "claims": .object(claims),
                "key": key.map { .string($0) } ?? .null,
                "headers": .object(headers.merging(["kid": .string(algorithm.rawValue)]) { old, _ in old }),
            ])
        let token = Secret(try #require(answer["token"]?.string))
        SecretLedger.note(token, .accessToken)
        return token
    }

    @Test(arguments: JSONWebTokenAlgorithm.allCases)
    func whatIsSignedThereIsVerifiedHere(algorithm: JSONWebTokenAlgorithm) async throws {
        let key = try TokenCounterparts.checker(algorithm)
        let keys = try JSONWebKeySet(
            jsonBytes: TokenCounterparts.file("all-keys.json"), provenance: .confidential)
        for number in 0..<Self.tokens {
            let claims = Self.claims(number)
            let isPlain = number % 2 == 0
            let type: JSONWebTokenType = isPlain ? .jwt : .accessToken
            let token = try await signed(
                algorithm, claims, headers: isPlain ? [:] : ["typ": .string(type.name)])
            #expect(try JSONWebToken.verify(token, key: key, type: type).claims == claims)
            var requirements = Self.requirements
            requirements.type = type
            requirements.maximumAge = .seconds(60)
            let verifier = JSONWebTokenVerifier(
                keys: keys, requirements: requirements, algorithms: [algorithm])
            let read = try await verifier.verify(token)
            #expect(read.claims == claims && read.keyID == algorithm.rawValue)
            #expect(read.audiences.contains(Self.audience) && read.subject?.hasPrefix("Zoë") == true)
        }
    }

    @Test(arguments: JSONWebTokenAlgorithm.allCases)
    func whatIsWrongIsRefusedHere(algorithm: JSONWebTokenAlgorithm) async throws {
        let verifier = JSONWebTokenVerifier(
            keys: try JSONWebKeySet(
                jsonBytes: TokenCounterparts.file("all-keys.json"), provenance: .confidential),
            requirements: Self.requirements, algorithms: [algorithm])
        func refusal(_ token: Secret) async -> JSONWebTokenError.Code? {
            do throws(JSONWebTokenError) {
                _ = try await verifier.verify(token)
                return nil
            } catch { return error.code }
        }
        for (changes, code) in [
            (["exp": .number(JSONNumber(TokenCounterparts.now - 60))], .expired),
            (["exp": .null], .missingClaim),
            (["nbf": .number(JSONNumber(TokenCounterparts.now + 600))], .notYetValid),
            (["aud": "other"], .wrongAudience), (["iss": "other"], .wrongIssuer),
        ] as [([String: JSONValue], JSONWebTokenError.Code)] {
            #expect(await refusal(try await signed(algorithm, Self.claims(0, changes))) == code)
        }
        let kind = try await signed(algorithm, Self.claims(0), headers: ["typ": "at+jwt"])
        #expect(await refusal(kind) == .wrongType)
        let unknown = try await signed(algorithm, Self.claims(0), headers: ["kid": "nobody's"])
        #expect(await refusal(unknown) == .unknownKey)
        if algorithm.rawValue.hasPrefix("RS") {
            #expect(
                await refusal(try await signed(algorithm, Self.claims(0), key: "other")) == .signatureInvalid)
        }
        let good = try await signed(algorithm, Self.claims(0))
        #expect(await refusal(good) == nil)
        let parts = good.exposed.split(separator: ".").map(String.init)
        for position in [0, 9, 30] {
            var signature = try #require(Base64.decodeURL(parts[2].utf8))
            signature[position] ^= 0x40
            let token = Secret("\(parts[0]).\(parts[1]).\(Base64.encodeURL(signature))")
            #expect(await refusal(token) == .signatureInvalid)
        }
    }

    /// What an attacker sends who has the published keys and a library (RFC 8725 §2).
    @Test(
        arguments: [
            ("none", .unsupported), ("stripped", .signatureInvalid), ("confused", .unsupported),
            ("embedded", .signatureInvalid), ("critical", .unsupported), ("PSS", .unsupported),
        ] as [(String, JSONWebTokenError.Code)])
    func forgeriesAreRefused(kind: String, code: JSONWebTokenError.Code) async throws {
        let answer = try await TokenCounterparts.ask(
            server + "/forge", ["kind": .string(kind), "claims": .object(Self.claims(0))])
        let token = Secret(try #require(answer["token"]?.string))
        SecretLedger.note(token, .accessToken)
        let key = try TokenCounterparts.checker(.rs256)
        #expect(throws: JSONWebTokenError.self) { try JSONWebToken.verify(token, key: key) }
        let keys = try JSONWebKeySet(
            jsonBytes: TokenCounterparts.file("all-keys.json"), provenance: .confidential)
        let all = JSONWebTokenVerifier(
            keys: keys, requirements: Self.requirements, algorithms: Set(JSONWebTokenAlgorithm.allCases))
        // Even with shared secrets among the keys, and every algorithm allowed.
        await #expect(throws: JSONWebTokenError.self) { try await all.verify(token) }
        let usual = JSONWebTokenVerifier(keys: keys, requirements: Self.requirements)
        let error = await #expect(throws: JSONWebTokenError.self) { try await usual.verify(token) }
        #expect(error?.code == code)
    }

    // MARK: Keys

    @Test func keysAreReadAsTheyArePublished() async throws {
        let source = try JSONWebKeySetSource(server + "/keys", transport: CurlTransport())
        let verifier = JSONWebTokenVerifier(source: source, requirements: Self.requirements)
        for algorithm in JSONWebTokenAlgorithm.allCases {
            let token = try await signed(algorithm, Self.claims(1))
            if JSONWebTokenAlgorithm.asymmetric.contains(algorithm) {
                #expect(try await verifier.verify(token).id == "token-1")
            } else {
                await #expect(throws: JSONWebTokenError.self) { try await verifier.verify(token) }
            }
        }
        let names = JSONWebTokenAlgorithm.allCases.filter(JSONWebTokenAlgorithm.asymmetric.contains)
        #expect(source.current?.keys.map(\.keyID) == names.map(\.rawValue))
        #expect(source.current?.omissions == [])
        // A set with private keys, by mistake published, has none that count.
        let exposed = try JSONWebKeySet(jsonBytes: TokenCounterparts.file("all-keys.json"))
        #expect(exposed.keys.isEmpty && Set(exposed.omissions.map(\.error.code)) == [.notPublic])
    }
}
