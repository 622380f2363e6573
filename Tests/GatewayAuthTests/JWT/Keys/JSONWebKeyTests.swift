import GatewayCore
import GatewayJSON
import Testing

@testable import GatewayAuth

@Suite struct JSONWebKeyTests {
    private static func key(_ json: String) throws(JSONWebKeyError) -> JSONWebKey {
        try JSONWebKey(jsonBytes: Array(json.utf8))
    }

    private static func code(_ json: String) -> JSONWebKeyError.Code? {
        do throws(JSONWebKeyError) {
            _ = try key(json)
            return nil
        } catch { return error.code }
    }

    /// Members of a key of the standard's, some of them changed.
    private static func changed(_ json: String, _ changes: [String: JSONValue]) throws -> String {
        guard var members = try JSONValue(jsonBytes: Array(json.utf8)).object else { return "" }
        members.merge(changes) { $1 }
        members = members.filter { $0.value != .null }
        return String(decoding: try members.jsonBytes(), as: UTF8.self)
    }

    // MARK: What the standards print

    @Test(arguments: [
        (StandardVectors.hs256Key, StandardVectors.hs256Token, JSONWebTokenAlgorithm.hs256),
        (StandardVectors.rs256Key, StandardVectors.rs256Token, .rs256),
        (StandardVectors.es256Key, StandardVectors.es256Token, .es256),
    ])
    func tokensOfTheStandardAreVerified(json: String, text: String, algorithm: JSONWebTokenAlgorithm) throws {
        let key = try #require(try Self.key(json).key(for: algorithm))
        let token = try JSONWebToken.verify(Secret(text), key: key)
        #expect(token.issuer == "joe")
        #expect(token.expiration == .seconds(1_300_819_380))
        #expect(token.claims["http://example.com/is_root"] == true)
        let other = Secret(text.replacing(".eyJpc3MiOiJqb2Ui", with: ".eyJpc3MiOiJqb2Vi"))
        #expect(throws: JSONWebTokenError.self) { try JSONWebToken.verify(other, key: key) }
    }

    @Test(arguments: [
        (StandardVectors.hs256Key, StandardVectors.hs256Token, JSONWebTokenAlgorithm.hs256),
        (StandardVectors.rs256Key, StandardVectors.rs256Token, .rs256),
        (StandardVectors.es256Key, StandardVectors.es256Token, .es256),
        (StandardVectors.es512Key, StandardVectors.es512Token, .es512),
        (StandardVectors.cookbookMACKey, StandardVectors.cookbookHS256, .hs256),
        (StandardVectors.cookbookRSAKey, StandardVectors.cookbookRS256, .rs256),
        (StandardVectors.cookbookECKey, StandardVectors.cookbookES512, .es512),
    ])
    func signaturesOfTheStandardFit(json: String, text: String, algorithm: JSONWebTokenAlgorithm) throws {
        let key = try #require(try Self.key(json).key(for: algorithm))
        let parts = text.split(separator: ".")
        let signed = Array("\(parts[0]).\(parts[1])".utf8)
        var signature = try #require(Base64.decodeURL(parts[2].utf8))
        #expect(JSONWebSignature.check(signature, of: signed, key: key))
        #expect(!JSONWebSignature.check(signature, of: signed + [0], key: key))
        signature[0] ^= 1
        #expect(!JSONWebSignature.check(signature, of: signed, key: key))
    }

    @Test func setsOfTheStandardAreRead() throws {
        let open = try JSONWebKeySet(jsonBytes: Array(StandardVectors.publicKeys.utf8))
        // The first key is for encryption.
        #expect(open.keys.map(\.keyID) == ["2011-04-29"])
        #expect(open.keys.map(\.algorithms) == [[.rs256]])
        #expect(open.omissions.map(\.index) == [0])
        #expect(open.omissions.map(\.error.code) == [.notForVerifying])
        let secret = try JSONWebKeySet(jsonBytes: Array(StandardVectors.privateKeys.utf8))
        #expect(secret.keys.isEmpty)
        #expect(secret.omissions.map(\.error.code) == [.notForVerifying, .notPublic])
        let symmetric = Array(StandardVectors.symmetricKeys.utf8)
        #expect(
            try JSONWebKeySet(jsonBytes: symmetric).omissions.map(\.error.code) == [
                .unsupported, .notPublic,
            ])
        let confidential = try JSONWebKeySet(jsonBytes: symmetric, provenance: .confidential)
        #expect(confidential.keys.map(\.algorithms) == [[.hs256, .hs384, .hs512]])
        #expect(try Self.key(StandardVectors.certifiedKey).algorithms == [.rs256, .rs384, .rs512])
    }

    @Test func ofAPrivateKeyThePublicHalfIsRead() throws {
        for json in [StandardVectors.rs256Key, StandardVectors.es256Key] {
            let key = try Self.key(json)
            #expect(key.isPrivate)
            for algorithm in key.algorithms { #expect(key.key(for: algorithm)?.canSign == false) }
        }
    }

    @Test func keysAreWrittenAsOpenSSLWritesThem() throws {
        let secret = try #require(PEMCoordinates(TestKeys.p256Public.pem))
        let pem = PublicKeyInfo.point(.p256, x: secret.x, y: secret.y).exposed
        #expect(pem == TestKeys.p256Public.pem.exposed + "\n")
    }

    /// The last 64 bytes of a P-256 key's encoding.
    private struct PEMCoordinates {
        let x: [UInt8]
        let y: [UInt8]

        init?(_ pem: Secret) {
            let text = pem.exposed.split(separator: "\n").dropFirst().dropLast().joined()
            guard let der = Base64.decode(text.utf8) else { return nil }
            x = Array(der.suffix(64).prefix(32))
            y = Array(der.suffix(32))
        }
    }

    // MARK: What is refused

    @Test(arguments: [
        ("", JSONWebKeyError.Code.malformed), ("[]", .malformed), ("{}", .malformed),
        (#"{"kty":1}"#, .malformed),
        (#"{"kty":"RSA"}"#, .malformed), (#"{"kty":"RSA","kty":"RSA"}"#, .malformed),
        (#"{"kty":"RSA","n":"!","e":"AQAB"}"#, .malformed), (#"{"kty":"RSA","n":"AA","e":""}"#, .malformed),
        (#"{"kty":"RSA","n":"AQ==","e":"AQAB"}"#, .malformed), (#"{"kty":"oct","k":7}"#, .malformed),
        (#"{"kty":"oct","k":""}"#, .malformed), (#"{"kty":"oct","k":"c2hvcnQ"}"#, .unsuitable),
        (#"{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#, .unsupported),
        (#"{"kty":"EC","crv":"secp256k1","x":"AA","y":"AA"}"#, .unsupported), (#"{"kty":"EC"}"#, .malformed),
        (#"{"kty":"rsa"}"#, .unsupported),
    ])
    func whatIsNoKey(json: String, code: JSONWebKeyError.Code) {
        #expect(Self.code(json) == code)
    }

    @Test func weakKeysAreRefused() throws {
        let rsa = StandardVectors.cookbookRSAKey
        let even = Base64.encodeURL([UInt8](repeating: 0xFE, count: 256))
        let cases: [(String, [String: JSONValue], JSONWebKeyError.Code)] = [
            (rsa, ["e": "AQ"], .unsuitable), (rsa, ["e": "AAAB"], .unsuitable),
            (rsa, ["e": "AgAA"], .unsuitable),
            (rsa, ["e": .string(Base64.encodeURL([UInt8](repeating: 1, count: 9)))], .unsuitable),
            (rsa, ["n": .string(even)], .unsuitable),
            (rsa, ["n": .string(Base64.encodeURL([UInt8](repeating: 0xFF, count: 255)))], .unsuitable),
            // 256 bytes, of which the first holds a single bit less than 2048 need.
            (
                rsa, ["n": .string(Base64.encodeURL([0x7F] + [UInt8](repeating: 0xFF, count: 255)))],
                .unsuitable
            ),
            (rsa, ["n": .string(Base64.encodeURL([UInt8](repeating: 0xFF, count: 1025)))], .unsuitable),
            (rsa, ["alg": "ES256"], .unsuitable), (rsa, ["alg": "HS256"], .unsuitable),
            (rsa, ["alg": "PS256"], .unsupported), (rsa, ["alg": "none"], .unsupported),
            (rsa, ["alg": 7], .malformed), (rsa, ["kid": 7], .malformed),
            (rsa, ["use": "enc"], .notForVerifying),
            (rsa, ["use": 1], .malformed), (rsa, ["key_ops": ["sign"]], .notForVerifying),
            (rsa, ["key_ops": []], .notForVerifying), (rsa, ["key_ops": "verify"], .malformed),
            (rsa, ["key_ops": ["verify", "verify"]], .malformed),
            (rsa, ["key_ops": ["verify", 1]], .malformed),
        ]
        for (json, changes, code) in cases {
            #expect(Self.code(try Self.changed(json, changes)) == code, "\(changes)")
        }
        let fine: [[String: JSONValue]] = [
            ["use": nil], ["key_ops": ["verify"]], ["key_ops": ["verify", "sign", "x"]], ["alg": "RS512"],
            ["unknown": [1]], ["e": "Aw"], ["e": "AAEAAQ"],
        ]
        for changes in fine { #expect(Self.code(try Self.changed(rsa, changes)) == nil, "\(changes)") }
    }

    @Test func pointsLieOnTheirCurve() throws {
        let curve = StandardVectors.es256Key
        let x = try #require(try JSONValue(jsonBytes: Array(curve.utf8))["x"]?.string)
        let zeros = Base64.encodeURL([UInt8](repeating: 0, count: 32))
        let cases: [([String: JSONValue], JSONWebKeyError.Code)] = [
            (["y": .string(x)], .unsuitable), (["x": .string(zeros), "y": .string(zeros)], .unsuitable),
            (["crv": "P-384"], .malformed), (["crv": "P-521"], .malformed), (["crv": "p-256"], .unsupported),
            (["x": .string("AA" + x)], .malformed), (["x": .string(String(x.dropLast(4)))], .malformed),
            (["alg": "ES384"], .unsuitable), (["alg": "RS256"], .unsuitable), (["y": nil], .malformed),
        ]
        for (changes, code) in cases {
            #expect(Self.code(try Self.changed(curve, changes)) == code, "\(changes)")
        }
        #expect(try Self.key(curve).algorithms == [.es256])
        #expect(try Self.key(StandardVectors.es512Key).algorithms == [.es512])
    }

    @Test func aSecretIsNoPublicKeyInDisguise() throws {
        let pem = Base64.encodeURL(TestKeys.rsaPublic.pem.exposed.utf8)
        #expect(Self.code(#"{"kty":"oct","k":"\#(pem)"}"#) == .unsuitable)
    }

    // MARK: Sets

    @Test(arguments: [
        "", "[]", "{}", #"{"keys":{}}"#, #"{"keys":null}"#, #"{"keys":[],"keys":[]}"#, "<html>",
    ])
    func whatIsNoSet(json: String) {
        let error = #expect(throws: JSONWebKeyError.self) { try JSONWebKeySet(jsonBytes: Array(json.utf8)) }
        #expect(error?.code == .malformed)
    }

    @Test func whatCannotBeUsedIsLeftOut() throws {
        let json = """
            {"issuer":"x","keys":[1,null,{"kty":"OKP"},\(StandardVectors.cookbookRSAKey),{"kty":"EC","crv":"P-256"},
            \(StandardVectors.cookbookECKey)]}
            """
        let set = try JSONWebKeySet(jsonBytes: Array(json.utf8))
        #expect(set.keys.map(\.kind) == [.rsa, .ellipticCurve])
        #expect(set.omissions.map(\.index) == [0, 1, 2, 4])
        let many = #"{"keys":["# + String(repeating: "1,", count: 100) + "1]}"
        #expect(throws: JSONWebKeyError.self) { try JSONWebKeySet(jsonBytes: Array(many.utf8)) }
    }

    @Test func keysAreFoundByNameAndAlgorithm() throws {
        let first = try Self.changed(StandardVectors.cookbookRSAKey, ["kid": "K", "alg": "RS256"])
        let second = try Self.changed(StandardVectors.es256Key, ["kid": "K", "d": nil])
        let third = try Self.changed(StandardVectors.cookbookRSAKey, ["kid": nil])
        let set = try JSONWebKeySet(jsonBytes: Array(#"{"keys":[\#(first),\#(second),\#(third)]}"#.utf8))
        func count(_ keyID: String?, _ algorithm: JSONWebTokenAlgorithm) -> Int {
            set.candidates(keyID: keyID, algorithm: algorithm).count
        }
        #expect(count("K", .rs256) == 1)
        #expect(count("K", .rs512) == 0)
        #expect(count("K", .es256) == 1)
        #expect(count("\u{212A}", .rs256) == 0)
        #expect(count("k", .rs256) == 0)
        // Without a name only where there is no choice.
        #expect(count(nil, .rs256) == 0)
        #expect(count(nil, .rs384) == 1)
        #expect(count(nil, .es256) == 1)
        #expect(count(nil, .hs256) == 0)
    }

    @Test func keysPrintNothingOfThemselves() throws {
        let json =
            #"{"kty":"oct","kid":"c4n4ry","k":"\#(Base64.encodeURL("c4n4ry-c4n4ry-c4n4ry-c4n4ry-c4n4ry".utf8))"}"#
        let set = try JSONWebKeySet(
            jsonBytes: Array(#"{"keys":[\#(json),{"kty":"c4n4ry"},{"kty":"EC","crv":"c4n4ry"}]}"#.utf8),
            provenance: .confidential)
        let values: [Any] = [set, set.keys, set.omissions]
        var text = ""
        for value in values {
            text += "\(value)" + String(reflecting: value)
            dump(value, to: &text)
        }
        #expect(set.keys.count == 1)
        #expect(!text.contains("c4n4ry"))
        #expect(!text.contains(Base64.encodeURL("c4n4ry-c4n4ry".utf8).prefix(12)))
    }
}
