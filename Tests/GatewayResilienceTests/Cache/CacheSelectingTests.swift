import GatewayCore
import GatewayDigest
import GatewayTesting
import Testing

@testable import GatewayResilience

/// What is stored of the request fields that `Vary` names.
@Suite struct CacheSelectingTests {
    @Test func valuesOfOtherFieldsAreDigests() async throws {
        let transport = ScriptedTransport { request, _ in
            .status(
                200, fields: ["Cache-Control": "max-age=60", "Vary": "X-Tenant, Accept"],
                request.fields["X-Tenant"] ?? "-")
        }
        let bench = CacheBench(transport)
        for _ in 0..<2 {
            #expect(try await bench.send(fields: ["X-Tenant": "hush-1"]).bodyText == "hush-1")
            #expect(try await bench.send(fields: ["X-Tenant": "hush-2"]).bodyText == "hush-2")
        }
        #expect(transport.requests.count == 2)
        let fields: HTTPFields = ["X-Tenant": "hush-1", .accept: "text/plain"]
        let facts = ResponseFacts(status: 200, fields: ["Vary": "X-Tenant, Accept"], received: .zero)
        let selecting = bench.cache.decision.selection.selecting(facts, of: fields)
        #expect(selecting[.accept] == "text/plain")
        #expect(selecting["X-Tenant"] == Base64.encode(SHA256.digest("hush-1".utf8)))
    }

    /// FIPS 180-4: the examples of NIST, and lengths around a block.
    @Test(arguments: [
        ("", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="),
        ("abc", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "JI1qYdIGOLjlwCaTDD5gOaM85Flk/yFn9uzt1BnbBsE="
        ),
        (String(repeating: "a", count: 55), "n0OQ+NMMLdkuyfCVtl4rmumwqSWlJY4kHJ8ekQ9zQxg="),
        (String(repeating: "a", count: 56), "s1Q5pKxvCUi21vnjxq8PX1kM4g8b3nCQ73lwaG7Gc4o="),
        (String(repeating: "a", count: 63), "fT50oF19sVvOStnsBljqmOPwbu7PFrTG//LaRX3cLzQ="),
        (String(repeating: "a", count: 64), "/+BU/nrgy23GXDr5th1SCfQ5hR20PQulmXM33xVGaOs="),
        (String(repeating: "a", count: 65), "Y1NhxIu56rFBmOduqKt/GkFoXWrWKqkUbTAdTxfrCuA="),
        (String(repeating: "a", count: 119), "MeulHDE6XAgiat8Y1KNZz9/Y0ugWsT9K+VL36mWE3Ps="),
    ])
    func theDigestIsThatOfTheStandard(text: String, digest: String) {
        #expect(Base64.encode(SHA256.digest(text.utf8)) == digest)
    }
}
