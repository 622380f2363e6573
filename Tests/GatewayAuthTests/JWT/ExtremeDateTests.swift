import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

@testable import GatewayAuth

/// Dates of tokens, lifetimes of answers and what policies say of them may be any numbers.
@Suite(.timeLimit(.minutes(1))) struct ExtremeDateTests {
    private static let numbers = [
        "0", "-1", "1e308", "-1e308", "1e400", "9223372036854775807", "9223372036854775808",
        "-9223372036854775809", "18446744073709551616", "1e-400", "0.5", "253402300800",
    ]

    @Test(arguments: numbers)
    func aTokenHasAnyDates(date: String) throws {
        // Libraries do not sign all of these numbers; a stranger may.
        let parts = [#"{"alg":"HS256"}"#, #"{"exp":\#(date),"nbf":\#(date),"iat":\#(date)}"#, "signature"]
        let text = Secret(parts.map { Base64.encodeURL($0.utf8) }.joined(separator: "."))
        let token = try JSONWebToken(decoding: text)
        #expect(token.expiration.map { $0 >= .zero && $0 <= .seconds(253_402_300_799) } ?? true)
        for leeway in ExtremeValues.durations {
            for unixTime in ExtremeValues.durations {
                var requirements = JSONWebTokenRequirements(issuer: nil, audience: nil)
                requirements.leeway = leeway
                requirements.maximumAge = leeway
                _ = try? token.check(requirements, unixTime: unixTime)
                let hint = ExpiryHint(text)
                _ = hint?.lifetime(unixTime: unixTime)
                _ = hint?.remaining(unixTime: unixTime)
            }
        }
    }

    /// The signature is that of the bytes, whatever numbers they hold.
    @Test func aSignedTokenWithAHugeDateIsVerified() throws {
        let key = try JSONWebTokenKey(secret: Array(repeating: 7, count: 32))
        for digits in [19, 300, 400] {
            let payload = #"{"exp":\#(String(repeating: "9", count: digits))}"#
            let token = try JSONWebToken.sign(
                header: ["alg": "HS256", "typ": "JWT"], payload: Array(payload.utf8), key: key)
            #expect(try JSONWebToken.verify(token, key: key).expiration == .seconds(253_402_300_799))
            let other = try JSONWebTokenKey(secret: Array(repeating: 8, count: 32))
            let error = #expect(throws: JSONWebTokenError.self) {
                try JSONWebToken.verify(token, key: other)
            }
            #expect(error?.code == .signatureInvalid)
        }
    }

    @Test(arguments: numbers)
    func aGrantHasAnyLifetime(text: String) throws {
        let number = try #require(JSONNumber(text))
        for value in [JSONValue.number(number), .string(text), .string("nan"), .string("inf")] {
            let lifetime = TokenResponse.lifetime(value) ?? .zero
            #expect(lifetime >= .zero && lifetime <= .seconds(315_360_000))
        }
    }

    @Test(arguments: ["0", "1", "2147483648", "9223372036854775807", "99999999999999999999999"])
    func anAnswerHasAnyAge(seconds: String) {
        for age in ["0", "1", "9223372036854775807", "99999999999999999999999"] {
            let told = CacheLifetime.told(by: ["Cache-Control": "max-age=\(seconds)", "Age": age]) ?? .zero
            #expect(told >= .zero && told <= .seconds(1 << 31))
        }
    }

    @Test(arguments: ExtremeValues.durations)
    func keysAreFetchedWithAnyPolicy(duration: Duration) async throws {
        let paths: [WritableKeyPath<JSONWebKeySetPolicy, Duration>] = [
            \.assumedLifetime, \.shortestLifetime, \.longestLifetime, \.stalenessLimit, \.coolDown, \.timeout,
            \.initialBackoff, \.longestBackoff, \.longestRetryAfter,
        ]
        var policies = paths.map { path in
            var policy = JSONWebKeySetPolicy()
            policy[keyPath: path] = duration
            return policy
        }
        policies += ExtremeValues.doubles.map { fraction in
            var policy = JSONWebKeySetPolicy()
            for path in paths { policy[keyPath: path] = duration }
            policy.renewalFraction = fraction
            return policy
        }
        let set = try KeySetRig.set(["k"])
        // They end after the test does.
        let tokens = try ["k", "other"].map { try KeySetRig().token($0) }
        for policy in policies {
            let rig = KeySetRig()
            let transport = ScriptedTransport { _, index in
                index % 2 == 0
                    ? .status(200, fields: ["Cache-Control": "max-age=99999999999999999999"], set)
                    : .status(503, fields: [.retryAfter: "99999999999999999999"])
            }
            let (verifier, _) = try rig.verifier(transport, policy)
            for _ in 0..<2 {
                for token in tokens { _ = await rig.code(verifier, token) }
                rig.clock.advance(by: .seconds(100_000))
            }
            #expect(transport.requests.count <= 20)
        }
    }

    @Test(arguments: ExtremeValues.durations)
    func anAssertionLivesForAnHourAtMost(lifetime: Duration) throws {
        let key = try JSONWebTokenKey(secret: Array(repeating: 7, count: 32))
        do throws(NetworkError) {
            let assertion = try SignedAssertion(issuer: "i", subject: "s", key: key, lifetime: lifetime)
            for unixTime in ExtremeValues.durations {
                _ = try assertion.sign(
                    subject: nil, endpoint: "e", unixTime: unixTime, random: SystemRandomSource())
            }
            Issue.record("no extreme value is from a second to an hour")
        } catch {
            #expect(error.code == .credentialMisconfigured)
        }
    }
}
