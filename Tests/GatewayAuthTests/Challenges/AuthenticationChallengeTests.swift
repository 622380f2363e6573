import GatewayAuth
import GatewayCore
import GatewayTesting
import Testing

@Suite struct AuthenticationChallengeTests {
    private func parse(_ lines: String...) -> [String] {
        AuthenticationChallenge.parse(lines: lines).map { challenge in
            let parameters = challenge.parameters.sorted { $0.key < $1.key }.map { "\($0.key)=<\($0.value)>" }
            return ([challenge.scheme] + (challenge.token68.map { ["<\($0)>"] } ?? []) + parameters)
                .joined(separator: " ")
        }
    }

    @Test func oneChallenge() {
        #expect(
            parse(#"Bearer realm="api", error=invalid_token"#) == ["Bearer error=<invalid_token> realm=<api>"]
        )
    }

    @Test func bearerNeedNotBeFirst() {
        #expect(
            parse(#"Basic realm="a", charset="UTF-8", Bearer scope="x y", DPoP algs="ES256 RS256""#)
                == ["Basic charset=<UTF-8> realm=<a>", "Bearer scope=<x y>", "DPoP algs=<ES256 RS256>"])
        #expect(
            parse("Negotiate", #"Basic realm="a""#, "Bearer") == ["Negotiate", "Basic realm=<a>", "Bearer"])
    }

    @Test func commasAndQuotesWithinQuotes() {
        #expect(
            parse(#"Bearer realm="a, Basic realm=\"b\", c\\", error="x""#)
                == [#"Bearer error=<x> realm=<a, Basic realm="b", c\>"#])
    }

    @Test func token68() {
        #expect(
            parse("Negotiate oYG2MIGzoAMKAQ==, Bearer realm=a, NTLM TlRM/+~-._, Basic")
                == ["Negotiate <oYG2MIGzoAMKAQ==>", "Bearer realm=<a>", "NTLM <TlRM/+~-._>", "Basic"])
        #expect(parse("A b=") == ["A <b=>"])
    }

    @Test func whiteSpaceAndEmptyElements() {
        #expect(
            parse(" , ,Bearer  realm = \"a\" ,,\terror= b , , Basic ,")
                == ["Bearer error=<b> realm=<a>", "Basic"])
        #expect(parse("", " ", ",") == [])
    }

    @Test func namesAreInLowerCaseAndTheFirstCounts() {
        let challenge = AuthenticationChallenge.parse(lines: ["bEARER Scope=a, SCOPE=b"]).first
        #expect(challenge?["sCope"] == "a")
        #expect(challenge?.isScheme("Bearer") == true)
    }

    @Test(arguments: [
        #"Bearer realm="open"#, #"Bearer realm="a\"#, "Bearer =a", "Bearer a=b c=d", "=", "\"",
        "Bearer realm=\"a\"b", "Bearer\trealm=a", "@", "Bearer a=ü",
    ])
    func malformedPartsAreDropped(line: String) {
        #expect(parse("Basic, " + line) == ["Basic"])
    }

    @Test func anyBytesAtAllAreReadOrDropped() {
        let random = SeededRandomSource(seed: TestSeed.value(7))
        // Parts of challenges, so that most lines come as far as quoted strings, escapes and what ends within them.
        let parts =
            [
                "Bearer ", "Basic ", "realm=", "a=", "a", "\"", "\"", "\"b\"", "\\", "\\\"", "=", "==", ",",
                ", ", " ",
            ]
            .map { Array($0.utf8) } + [[0], [9], [0x80], [0xFF], [0x7F]]
        for _ in 0..<SoakScale.rounds(2_000) {
            let bytes = (0..<random.int(in: 0..<14)).flatMap { _ in parts[random.int(in: 0..<parts.count)] }
            _ = AuthenticationChallenge.parse(lines: [String(decoding: bytes, as: UTF8.self)])
        }
    }

    @Test func sizeIsBounded() {
        let many = String(repeating: "Basic, ", count: 100_000)
        #expect(AuthenticationChallenge.parse(lines: [many, many]).count == 64)
    }

    @Test func valuesAreNotPrinted() {
        let challenge = AuthenticationChallenge.parse(lines: [#"Bearer realm="hidden""#])
        var text = "\(challenge)"
        dump(challenge, to: &text)
        #expect(!text.contains("hidden"))
    }
}
