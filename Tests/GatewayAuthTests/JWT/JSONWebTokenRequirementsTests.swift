import GatewayAuth
import GatewayCore
import GatewayJSON
import Testing

@Suite struct JSONWebTokenRequirementsTests {
    private static let issuer = "https://login.example.com/Kelvin"

    private static func token(_ claims: [String: JSONValue]) throws -> JSONWebToken {
        let key = try JSONWebTokenKey(secret: Array(repeating: 7, count: 32))
        return try JSONWebToken(decoding: JSONWebToken.sign(claims: claims, key: key))
    }

    private static func code(
        _ claims: [String: JSONValue], at seconds: Int, _ change: (inout JSONWebTokenRequirements) -> Void
    ) throws -> JSONWebTokenError.Code? {
        var requirements = JSONWebTokenRequirements(issuer: issuer, audience: "api")
        change(&requirements)
        var all: [String: JSONValue] = ["iss": .string(issuer), "aud": "api", "exp": 2000]
        all.merge(claims) { $1 }
        let token = try token(all.filter { $0.value != .null })
        do throws(JSONWebTokenError) {
            try token.check(requirements, unixTime: .seconds(seconds))
            return nil
        } catch { return error.code }
    }

    @Test func issuerAndAudienceAreComparedByteByByte() throws {
        func code(_ claims: [String: JSONValue]) throws -> JSONWebTokenError.Code? {
            try Self.code(claims, at: 1000) { _ in }
        }
        #expect(try code([:]) == nil)
        #expect(try code(["aud": ["other", "api"]]) == nil)
        let others: [JSONValue] = [
            nil, "", "https://login.example.com/Kelvin/", "https://login.example.com/kelvin",
            // The kelvin sign: equal to K for Swift's ==.
            "https://login.example.com/\u{212A}elvin", "https://login.example.com",
        ]
        for issuer in others { #expect(try code(["iss": issuer]) == .wrongIssuer) }
        for audience: JSONValue in [nil, "", "API", [], ["apis", "ap"], "api "] {
            #expect(try code(["aud": audience]) == .wrongAudience)
        }
        #expect(
            try Self.code(["iss": nil, "aud": "x"], at: 0) { ($0.issuer, $0.audience) = (nil, nil) } == nil)
    }

    @Test func leewayIsOfBothEnds() throws {
        func code(_ seconds: Int, _ claims: [String: JSONValue] = ["nbf": 1000]) throws
            -> JSONWebTokenError.Code?
        { try Self.code(claims, at: seconds) { _ in } }
        #expect(try code(970) == nil)
        #expect(try code(969) == .notYetValid)
        #expect(try code(2029) == nil)
        #expect(try code(2030) == .expired)
        #expect(try Self.code([:], at: 2000) { $0.leeway = .zero } == .expired)
        #expect(try Self.code(["exp": 2000.5], at: 2000) { $0.leeway = .zero } == nil)
        #expect(try Self.code(["nbf": 1000.5], at: 1000) { $0.leeway = .zero } == .notYetValid)
    }

    @Test func withoutAnEndATokenIsNotValid() throws {
        #expect(try Self.code(["exp": nil], at: 1000) { _ in } == .missingClaim)
        #expect(try Self.code(["exp": nil], at: 1000) { $0.requiresExpiration = false } == nil)
        #expect(try Self.code(["exp": 1], at: 1000) { $0.requiresExpiration = false } == .expired)
        #expect(try Self.code(["exp": -5], at: 1000) { _ in } == .expired)
    }

    @Test func ageIsBounded() throws {
        func code(_ claims: [String: JSONValue]) throws -> JSONWebTokenError.Code? {
            try Self.code(claims, at: 1000) { $0.maximumAge = .seconds(300) }
        }
        #expect(try code(["iat": 700]) == nil)
        #expect(try code(["iat": 670]) == nil)
        #expect(try code(["iat": 669]) == .tooOld)
        #expect(try code(["iat": 1030]) == nil)
        #expect(try code(["iat": 1031]) == .notYetValid)
        #expect(try code([:]) == .missingClaim)
    }

    @Test func errorsSayWhatIsWrongAndNoMore() throws {
        let token = try Self.token(["iss": "c4n4ry", "aud": "c4n4ry", "exp": 1])
        let requirements = JSONWebTokenRequirements(issuer: "x", audience: "y")
        let error = #expect(throws: JSONWebTokenError.self) {
            try token.check(requirements, unixTime: .zero)
        }
        var text = "\(String(describing: error))" + String(reflecting: error)
        dump(error, to: &text)
        #expect(!text.contains("c4n4ry"))
        #expect(error?.description == "wrong_issuer: The token comes from another issuer.")
    }
}
