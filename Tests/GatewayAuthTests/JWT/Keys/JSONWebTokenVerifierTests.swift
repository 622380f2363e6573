import GatewayAuth
import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

/// Keys that are at hand.
@Suite struct JSONWebTokenVerifierTests {
    private let rig = KeySetRig()

    @Test func keysAtHandServeToo() async throws {
        let set = try JSONWebKeySet(jsonBytes: Array(try KeySetRig.set(["k"]).utf8))
        let verifier = JSONWebTokenVerifier(
            keys: set, requirements: JSONWebTokenRequirements(issuer: nil, audience: nil), clock: rig.clock)
        #expect(await rig.code(verifier, try rig.token("k")) == nil)
        #expect(await rig.code(verifier, try rig.token(nil)) == nil)
        #expect(await rig.code(verifier, try rig.token("other")) == .unknownKey)
    }

    @Test func accessTokensOfTheirOwnKind() async throws {
        let set = try JSONWebKeySet(jsonBytes: Array(try KeySetRig.set(["k"]).utf8))
        let key = try JSONWebTokenKey(pem: TestKeys.p256.pem, algorithm: .es256)
        let claims: [String: JSONValue] = ["exp": 99_999_999_999]
        let access = try JSONWebToken.sign(claims: claims, key: key, keyID: "k", type: .accessToken)
        let plain = try JSONWebToken.sign(claims: claims, key: key, keyID: "k")
        let requirements = JSONWebTokenRequirements(issuer: nil, audience: nil, type: .accessToken)
        let verifier = JSONWebTokenVerifier(keys: set, requirements: requirements, clock: rig.clock)
        #expect(await rig.code(verifier, access) == nil)
        #expect(await rig.code(verifier, plain) == .wrongType)
    }
}
