import GatewayAuth
import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

@Suite struct JSONWebTokenReadingTests {
    private static let secret = Array("0123456789abcdef0123456789abcdef".utf8)

    private static func token(_ payload: String, header: String = #"{"alg":"HS256"}"#) -> Secret {
        Secret(Base64.encodeURL(header.utf8) + "." + Base64.encodeURL(payload.utf8) + ".AAAA")
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
        let random = SeededRandomSource(seed: TestSeed.value(42))
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

    @Test(arguments: [
        #"{"iss":1}"#, #"{"iss":null}"#, #"{"sub":7}"#, #"{"jti":[]}"#, #"{"aud":1}"#, #"{"aud":null}"#,
        #"{"aud":["a",1]}"#, #"{"aud":{"a":"b"}}"#, #"{"sub":"a","s\u0075b":"b"}"#,
        "{\"\u{E9}\":1,\"e\u{301}\":2}",
    ])
    func refusesClaimsOfTheWrongForm(payload: String) {
        let error = #expect(throws: JSONWebTokenError.self) {
            try JSONWebToken(decoding: Self.token(payload))
        }
        #expect(error?.code == .malformed)
    }

    @Test(arguments: [
        #"{"alg":"HS256","alg":"none"}"#, "[]", "1", #"{"kid":7}"#, "{\"a\":\"\u{1}\"}", "{} {}", "{}x", "",
    ])
    func refusesHeaders(header: String) {
        #expect(throws: JSONWebTokenError.self) {
            try JSONWebToken(decoding: Self.token("{}", header: header))
        }
    }

    @Test func depthIsBounded() throws {
        let deep = String(repeating: "[", count: 31) + String(repeating: "]", count: 31)
        _ = try JSONWebToken(decoding: Self.token(#"{"a":\#(deep)}"#))
        #expect(throws: JSONWebTokenError.self) {
            try JSONWebToken(decoding: Self.token(#"{"a":[\#(deep)]}"#))
        }
    }

    @Test func sizeIsBounded() throws {
        // Three bytes of text give four characters: a token of exactly the limit, and one of three more.
        func token(_ fill: Int) -> Secret {
            let token = Self.token("{\"a\":\"" + String(repeating: "x", count: fill) + "\"}").exposed
            return Secret(token)
        }
        let empty = token(0).exposed.utf8.count
        let fill = (JSONWebToken.maximumBytes - empty) / 4 * 3
        let fits = (0..<4).map { token(fill + $0) }.filter { $0.exposed.utf8.count <= 16_384 }
        let largest = try #require(fits.last)
        #expect(largest.exposed.utf8.count > 16_380)
        _ = try JSONWebToken(decoding: largest)
        let error = #expect(throws: JSONWebTokenError.self) {
            try JSONWebToken(decoding: Secret(largest.exposed + "AAAA"))
        }
        #expect(error?.code == .malformed)
    }

    @Test func nothingOfATokenIsPrinted() throws {
        let token = try JSONWebToken(
            decoding: Self.token(#"{"iss":"c4n4ry","c4n4ry\r\n":1,"exp":1}"#, header: #"{"kid":"c4n4ry"}"#))
        var text = "\(token)" + String(reflecting: token)
        dump(token, to: &text)
        #expect(!text.contains("c4n4ry"))
        #expect("\(token)" == "JWT with exp, iss, 1 more")
    }
}
