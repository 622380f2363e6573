import GatewayAuth
import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

@Suite struct JSONWebTokenVerifyingTests {
    private static let secret = Array("0123456789abcdef0123456789abcdef".utf8)

    private static func token(_ payload: String, header: String, signature: [UInt8] = [0, 0, 0]) -> Secret {
        Secret(
            [Array(header.utf8), Array(payload.utf8), signature].map { Base64.encodeURL($0) }
                .joined(separator: "."))
    }

    @Test func whatWasSignedIsVerified() throws {
        let hmac = try JSONWebTokenKey(secret: Self.secret)
        let pairs: [(JSONWebTokenKey, JSONWebTokenKey)] = [
            (hmac, hmac),
            (
                try JSONWebTokenKey(pem: TestKeys.rsa.pem, algorithm: .rs256),
                try JSONWebTokenKey(pem: TestKeys.rsaPublic.pem, algorithm: .rs256)
            ),
            (
                try JSONWebTokenKey(pem: TestKeys.p256.pem, algorithm: .es256),
                try JSONWebTokenKey(pem: TestKeys.p256Public.pem, algorithm: .es256)
            ),
        ]
        for (signing, verifying) in pairs {
            for _ in 0..<20 {
                let token = try JSONWebToken.sign(claims: ["sub": "me", "exp": 100], key: signing)
                let read = try JSONWebToken.verify(token, key: verifying)
                #expect(read.subject == "me")
                let changed = Secret(token.exposed.replacing(".", with: ".e", maxReplacements: 1))
                #expect(throws: JSONWebTokenError.self) { try JSONWebToken.verify(changed, key: verifying) }
            }
        }
    }

    @Test func theTokenDoesNotChooseTheAlgorithm() throws {
        let key = try JSONWebTokenKey(pem: TestKeys.rsaPublic.pem, algorithm: .rs256)
        for header in [
            #"{"alg":"none"}"#, #"{"alg":"HS256"}"#, #"{"alg":"rs256"}"#, #"{"alg":"RS512"}"#, "{}",
            #"{"alg":null}"#, #"{"alg":"RS256","crit":["x"],"x":1}"#, #"{"alg":["RS256"]}"#,
        ] {
            let error = #expect(throws: JSONWebTokenError.self) {
                try JSONWebToken.verify(Self.token("{}", header: header), key: key)
            }
            #expect(error?.code == .unsupported)
        }
        let error = #expect(throws: JSONWebTokenError.self) {
            try JSONWebToken.verify(Secret(Base64.encodeURL(#"{"alg":"RS256"}"#.utf8) + ".e30."), key: key)
        }
        #expect(error?.code == .signatureInvalid)
    }

    @Test func aCodeMadeWithThePublicKeyIsNoSignature() throws {
        // HMACs over the token with the public key's PEM text as the secret, without and with its last line end.
        let forged = [
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.zzz47Ph4PAIZq_cxqUG5JNycLiSvvxv4J-FRanVA0-g",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.1L-O7Li5qKHJgmtTof2jKlaS9dCvnEWxs3pkajPrTFM",
        ]
        let text = TestKeys.rsaPublic.pem.exposed
        for (token, pem) in zip(forged, [text, text + "\n"]) {
            let key = try JSONWebTokenKey(pem: Secret(pem), algorithm: .rs256)
            let error = #expect(throws: JSONWebTokenError.self) {
                try JSONWebToken.verify(Secret(token), key: key)
            }
            #expect(error?.code == .unsupported)
            for secret in [pem, "\n" + pem, "junk " + pem] {
                #expect(throws: NetworkError.self) { try JSONWebTokenKey(secret: Array(secret.utf8)) }
            }
        }
    }

    @Test(arguments: [StandardVectors.noneToken, StandardVectors.hs256Token + ".", "e30.e30.e30.e30"])
    func unsignedAndFourPartTokensAreRefused(token: String) throws {
        let key = try JSONWebTokenKey(secret: Self.secret)
        #expect(throws: JSONWebTokenError.self) { try JSONWebToken.verify(Secret(token), key: key) }
    }

    @Test func aKeyOfTheHeaderIsNotTrusted() throws {
        let key = try JSONWebTokenKey(secret: Self.secret)
        let other = try JSONWebTokenKey(secret: Self.secret.reversed())
        let signed = try JSONWebToken.sign(claims: [:], key: other, keyID: "k").exposed
        let parts = signed.split(separator: ".", omittingEmptySubsequences: false)
        let header = Base64.encodeURL(
            #"{"alg":"HS256","jwk":{"kty":"oct","k":"\#(Base64.encodeURL(Self.secret.reversed()))"}}"#.utf8)
        for token in [signed, "\(header).\(parts[1]).\(parts[2])"] {
            let error = #expect(throws: JSONWebTokenError.self) {
                try JSONWebToken.verify(Secret(token), key: key)
            }
            #expect(error?.code == .signatureInvalid)
        }
    }

    @Test func aPrivateKeyDoesNotVerify() throws {
        let key = try JSONWebTokenKey(pem: TestKeys.p256.pem, algorithm: .es256)
        let token = try JSONWebToken.sign(claims: [:], key: key)
        let error = #expect(throws: JSONWebTokenError.self) { try JSONWebToken.verify(token, key: key) }
        #expect(error?.code == .unsupported)
    }

    // MARK: Types

    private static func pairs() throws -> [(signing: JSONWebTokenKey, verifying: JSONWebTokenKey)] {
        var pairs: [(JSONWebTokenKey, JSONWebTokenKey)] = []
        for algorithm in JSONWebTokenAlgorithm.allCases {
            switch algorithm {
            case .hs256, .hs384, .hs512:
                let key = try JSONWebTokenKey(secret: Self.secret + Self.secret, algorithm: algorithm)
                pairs.append((key, key))
            case .rs256, .rs384, .rs512:
                pairs.append(
                    (
                        try JSONWebTokenKey(pem: TestKeys.rsa.pem, algorithm: algorithm),
                        try JSONWebTokenKey(pem: TestKeys.rsaPublic.pem, algorithm: algorithm)
                    ))
            case .es256, .es384, .es512:
                let (secret, open) = try CurveKeys.pair(algorithm)
                pairs.append(
                    (
                        try JSONWebTokenKey(pem: secret, algorithm: algorithm),
                        try JSONWebTokenKey(pem: open, algorithm: algorithm)
                    ))
            }
        }
        return pairs
    }

    @Test func oneKindOfTokenIsNeverTakenForAnother() throws {
        for (signing, verifying) in try Self.pairs() {
            let plain = try JSONWebToken.sign(claims: ["sub": "me"], key: signing)
            let access = try JSONWebToken.sign(claims: ["sub": "me"], key: signing, type: .accessToken)
            #expect(try JSONWebToken.verify(plain, key: verifying).subject == "me")
            let read = try JSONWebToken.verify(access, key: verifying, type: .accessToken)
            #expect(read.subject == "me")
            #expect(read.header["typ"] == "at+jwt")
            for (token, type) in [(plain, JSONWebTokenType.accessToken), (access, .jwt)] {
                let error = #expect(throws: JSONWebTokenError.self) {
                    try JSONWebToken.verify(token, key: verifying, type: type)
                }
                #expect(error?.code == .wrongType)
            }
        }
    }

    @Test func bothLibrariesAgree() throws {
        let random = SeededRandomSource(seed: TestSeed.value(3))
        for (signing, verifying) in try Self.pairs() {
            // The same token by libjwt (`typ` is JWT) and by libcrypto (any other `typ`), with a signature that is
            // right, changed, cut, extended, or of zeros.
            for type in [JSONWebTokenType.jwt, .accessToken, JSONWebTokenType("application/x")] {
                let token = try JSONWebToken.sign(claims: ["n": 1], key: signing, type: type)
                let parts = token.exposed.split(separator: ".").map(String.init)
                let signature = try #require(Base64.decodeURL(parts[2].utf8))
                var changed = signature
                changed[random.int(in: 0..<changed.count)] ^= 1 << UInt8(random.int(in: 0..<8))
                // Between the halves of an elliptic-curve signature a zero changes neither number.
                let half = signature.count / 2
                let others = [
                    Array(signature[..<half] + [0] + signature[half...]),
                    changed, [], Array(signature.dropLast()), Array(signature.dropFirst()), signature + [0],
                    [0] + signature, Array(repeating: 0, count: signature.count),
                    Array(repeating: 255, count: signature.count), signature + signature,
                ]
                _ = try JSONWebToken.verify(token, key: verifying, type: type)
                for other in others {
                    let forged = Secret("\(parts[0]).\(parts[1]).\(Base64.encodeURL(other))")
                    let error = #expect(throws: JSONWebTokenError.self) {
                        try JSONWebToken.verify(forged, key: verifying, type: type)
                    }
                    #expect(error?.code == .signatureInvalid)
                }
                let moved = Secret("\(parts[0]).\(Base64.encodeURL(#"{"n":2}"#.utf8)).\(parts[2])")
                #expect(throws: JSONWebTokenError.self) {
                    try JSONWebToken.verify(moved, key: verifying, type: type)
                }
            }
        }
    }

    @Test(arguments: [
        ("JWT", JSONWebTokenType.jwt, true), ("jwt", .jwt, true), ("application/jwt", .jwt, true),
        ("at+jwt", .accessToken, true), ("AT+JWT", .accessToken, true),
        ("application/at+jwt", .accessToken, true), ("at+jwt", .jwt, false), ("JWT", .accessToken, false),
        ("", .jwt, false), ("xjwt", .jwt, false), ("text/jwt", .jwt, false),
        ("dpop+jwt", JSONWebTokenType("application/DPoP+JWT"), true),
    ])
    func typesAreMediaTypes(text: String, type: JSONWebTokenType, fits: Bool) throws {
        let header = #"{"alg":"HS256","typ":"\#(text)"}"#
        let token = try JSONWebToken(decoding: Self.token(#"{"exp":9}"#, header: header))
        let requirements = JSONWebTokenRequirements(issuer: nil, audience: nil, type: type)
        if fits {
            try token.check(requirements, unixTime: .zero)
        } else {
            let error = #expect(throws: JSONWebTokenError.self) {
                try token.check(requirements, unixTime: .zero)
            }
            #expect(error?.code == .wrongType)
        }
    }
}
