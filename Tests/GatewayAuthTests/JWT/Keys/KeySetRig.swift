import GatewayAuth
import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

/// An issuer's keys as a verifier sees them, on a clock that a test moves.
struct KeySetRig {
    static let url = "https://login.example.com/jwks.json"
    let clock = ManualClock()

    /// A set of the elliptic-curve key of these tests, under these names.
    static func set(_ names: [String]) throws -> String {
        let pem = TestKeys.p256Public.pem.exposed.split(separator: "\n").dropFirst().dropLast().joined()
        let point = try #require(Base64.decode(pem.utf8)).suffix(64)
        let keys = names.map { name in
            #"{"kty":"EC","crv":"P-256","kid":"\#(name)","x":"\#(Base64.encodeURL(point.prefix(32)))","#
                + #""y":"\#(Base64.encodeURL(point.suffix(32)))"}"#
        }
        return #"{"keys":[\#(keys.joined(separator: ","))]}"#
    }

    func token(_ keyID: String?, _ claims: [String: JSONValue] = [:]) throws -> Secret {
        let key = try JSONWebTokenKey(pem: TestKeys.p256.pem, algorithm: .es256)
        var all: [String: JSONValue] = ["iss": "https://login.example.com", "aud": "api"]
        all["exp"] = .number(JSONNumber(clock.unixTime.components.seconds + 1_000_000))
        return try JSONWebToken.sign(claims: all.merging(claims) { $1 }, key: key, keyID: keyID)
    }

    func verifier(
        _ transport: any Transport, _ policy: JSONWebKeySetPolicy = JSONWebKeySetPolicy()
    ) throws -> (JSONWebTokenVerifier, JSONWebKeySetSource) {
        let source = try JSONWebKeySetSource(Self.url, transport: transport, policy: policy, clock: clock)
        let requirements = JSONWebTokenRequirements(issuer: "https://login.example.com", audience: "api")
        return (JSONWebTokenVerifier(source: source, requirements: requirements, clock: clock), source)
    }

    func code(_ verifier: JSONWebTokenVerifier, _ token: Secret) async -> JSONWebTokenError.Code? {
        await error(verifier, token)?.code
    }

    func error(_ verifier: JSONWebTokenVerifier, _ token: Secret) async -> JSONWebTokenError? {
        do throws(JSONWebTokenError) {
            _ = try await verifier.verify(token)
            return nil
        } catch { return error }
    }
}
