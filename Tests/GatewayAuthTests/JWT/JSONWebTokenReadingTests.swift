import GatewayAuth
import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

@Suite struct JSONWebTokenReadingTests {
    private static let secret = Array("0123456789abcdef0123456789abcdef".utf8)

    private static func encode(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let bits = text.utf8.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        return stride(from: 0, to: bits.count, by: 6).map { start in
            let sextet = (0..<6).reduce(0) { $0 << 1 | (start + $1 < bits.count ? Int(bits[start + $1]) : 0) }
            return String(alphabet[sextet])
        }.joined()
    }

    private static func token(_ payload: String, header: String = #"{"alg":"HS256"}"#) -> Secret {
        Secret(encode(header) + "." + encode(payload) + ".AAAA")
    }

    @Test func readsClaims() throws {
        let token = try JSONWebToken(
            decoding: Self.token(#"{"iss":"i","sub":"s","aud":["a","b"],"exp":1.5,"iat":1,"nbf":0}"#))
        #expect(token.issuer == "i")
        #expect(token.subject == "s")
        #expect(token.audiences == ["a", "b"])
        #expect(token.expiration == .milliseconds(1500))
        #expect(token.issuedAt == .seconds(1))
        #expect(token.notBefore == .zero)
    }

    @Test(arguments: [
        "", ".", "..", "...", "a.b", "a.b.c", "e30.e30", "e30.e30.e30.e30", "e30.e30.!", "e30=.e30.e30",
        "e30.e31.e30", "e30 .e30.e30", "MQ.e30.", "e30.W10.", "e30.eyJhIjoxLCJhIjoyfQ.", "e30.e30.A",
    ])
    func refusesWhatIsNoToken(text: String) {
        let error = #expect(throws: JSONWebTokenError.self) { try JSONWebToken(decoding: Secret(text)) }
        #expect(error?.code == .malformed)
    }

    @Test(arguments: [#""1""#, "null", "true", "[]", "{}"])
    func refusesDatesThatAreNoNumbers(value: String) {
        for name in ["exp", "nbf", "iat"] {
            #expect(throws: JSONWebTokenError.self) {
                try JSONWebToken(decoding: Self.token(#"{"\#(name)":\#(value)}"#))
            }
        }
    }

    @Test(arguments: ["1e400", "-1e400", "99999999999999999999", "-5"])
    func datesOutOfRangeAreHeldInRange(value: String) throws {
        let token = try JSONWebToken(decoding: Self.token(#"{"exp":\#(value)}"#))
        let expiration = try #require(token.expiration)
        #expect(expiration >= .zero && expiration <= .seconds(253_402_300_799))
    }

    @Test func refusesTokensThatAreTooLong() {
        let text = "e30." + String(repeating: "A", count: 700_000) + ".e30"
        #expect(throws: JSONWebTokenError.self) { try JSONWebToken(decoding: Secret(text)) }
    }

    @Test func anyBytesAtAllAreReadOrRefused() throws {
        let random = SeededRandomSource(seed: 42)
        let key = try JSONWebTokenKey(secret: Self.secret)
        let good = try JSONWebToken.sign(claims: ["sub": "x", "exp": 1], key: key).exposed
        for _ in 0..<2000 {
            var bytes = Array(good.utf8)
            for _ in 0..<random.int(in: 1..<4) {
                bytes[random.int(in: 0..<bytes.count)] = UInt8(random.int(in: 0..<256))
            }
            let token = Secret(String(decoding: bytes, as: UTF8.self))
            guard token.exposed != good else { continue }
            #expect(throws: JSONWebTokenError.self) { try JSONWebToken.verify(token, key: key) }
        }
    }

    // MARK: Verifying

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
            #"{"alg":null}"#, #"{"alg":"RS256","crit":["x"],"x":1}"#, #"{"alg":"RS256","typ":"at+jwt"}"#,
        ] {
            let error = #expect(throws: JSONWebTokenError.self) {
                try JSONWebToken.verify(Self.token("{}", header: header), key: key)
            }
            #expect(error?.code == .unsupported)
        }
        let error = #expect(throws: JSONWebTokenError.self) {
            try JSONWebToken.verify(Secret(Self.encode(#"{"alg":"RS256"}"#) + ".e30."), key: key)
        }
        #expect(error?.code == .signatureInvalid)
    }

    @Test func validityIsOfTimeAndPlace() throws {
        let token = try JSONWebToken(
            decoding: Self.token(#"{"iss":"i","aud":"a","nbf":1000,"exp":2000}"#))
        try token.validate(unixTime: .seconds(1500), issuer: "i", audience: "a")
        try token.validate(unixTime: .seconds(2020))
        let failures: [(Duration, String?, String?, JSONWebTokenError.Code)] = [
            (.seconds(2030), nil, nil, .expired), (.seconds(969), nil, nil, .notYetValid),
            (.seconds(1500), "j", nil, .wrongIssuer), (.seconds(1500), nil, "b", .wrongAudience),
        ]
        for (time, issuer, audience, code) in failures {
            let error = #expect(throws: JSONWebTokenError.self) {
                try token.validate(unixTime: time, issuer: issuer, audience: audience)
            }
            #expect(error?.code == code)
        }
        let endless = try JSONWebToken(decoding: Self.token("{}"))
        #expect(throws: JSONWebTokenError.self) { try endless.validate(unixTime: .zero) }
    }
}
