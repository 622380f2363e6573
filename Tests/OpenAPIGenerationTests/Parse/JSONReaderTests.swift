import Testing

@testable import OpenAPIGeneration

@Suite struct JSONReaderTests {
    @Test(arguments: [
        ("{}", "{}"), ("[]", "[]"), (" \t\r\n[1 , 2]\n", "[1,2]"), ("\"\"", "\"\""),
        ("{\"b\":1,\"a\":{\"c\":[true,false,null]}}", "{\"b\":1,\"a\":{\"c\":[true,false,null]}}"),
        ("9007199254740993", "9007199254740993"), ("-0", "-0"), ("1.50e+7", "1.50e+7"),
        ("123456789012345678901234567890", "123456789012345678901234567890"),
        (#""a\"\\\/\b\f\n\r\t""#, #""a\"\\/\u{8}\u{c}\n\u{d}\t""#),
        (#""\u00e9\uD83D\uDE00""#, #""\u{e9}\u{1f600}""#), (#""\u0000x""#, #""\u{0}x""#),
    ])
    func reads(text: String, expected: String) throws {
        #expect(json(try node(text, path: "d.json")) == expected)
    }

    @Test(arguments: [
        ("", "1:1 json-syntax"), ("  ", "1:3 json-syntax"), ("{", "1:2 json-syntax"),
        ("[1,]", "1:4 json-syntax"), ("{\"a\":1,}", "1:8 json-syntax"), ("[1 2]", "1:4 json-syntax"),
        ("01", "1:2 json-syntax"), ("1.", "1:3 json-syntax"), ("1e", "1:3 json-syntax"),
        ("+1", "1:1 json-syntax"), (".5", "1:1 json-syntax"), ("tru", "1:1 json-syntax"),
        ("NaN", "1:1 json-syntax"), ("{a:1}", "1:2 json-syntax"), ("'a'", "1:1 json-syntax"),
        ("[] []", "1:4 json-syntax"), ("// c\n1", "1:1 json-syntax"),
        ("{\n  \"a\": 1,\n  \"a\": 2\n}", "3:3 duplicate-key"), ("\"a\tb\"", "1:3 json-syntax"),
        (#""\x""#, "1:2 json-syntax"), (#""\u12""#, "1:2 json-syntax"), (#""\uD800""#, "1:2 json-syntax"),
        (#""\uDC00""#, "1:2 json-syntax"), (#""\uD800\u0041""#, "1:2 json-syntax"),
        ("\"abc", "1:5 json-syntax"),
    ])
    func refuses(text: String, expected: String) {
        #expect(finding(text, path: "d.json") == expected)
    }

    @Test func positionsCountScalars() throws {
        let root = try node("{\n  \"\u{e9}\u{1F600}\": [1,\n 2]}", path: "d.json")
        let member = try #require(root.members.first)
        #expect(member.keyPosition == SourcePosition(line: 2, column: 3))
        #expect(member.value.position == SourcePosition(line: 2, column: 9))
        #expect(member.value.array?.last?.position == SourcePosition(line: 3, column: 2))
    }

    @Test func depthHasABound() {
        let deep = String(repeating: "[", count: 256) + String(repeating: "]", count: 256)
        #expect(finding(deep, path: "d.json") == nil)
        let deeper = String(repeating: "[", count: 100_000)
        #expect(finding(deeper, path: "d.json") == "1:257 limit")
    }

    @Test func manyMembersStayFastAndUnique() throws {
        let members = (0..<20_000).map { "\"k\($0)\":\($0)" }.joined(separator: ",")
        let root = try node("{\(members)}", path: "d.json")
        #expect(root.members.count == 20_000)
        #expect(root["k19999"]?.position != nil)
        #expect(finding("{\(members),\"k7\":1}", path: "d.json")?.hasSuffix("duplicate-key") == true)
    }

    /// libyaml refuses all of these.
    @Test func readsWhatYAMLReadersRefuse() throws {
        let key = String(repeating: "k", count: 2000)
        #expect(
            json(try node("\t{\"\(key)\": \"\\uD83D\\uDE00\"}", path: "d.json")).hasSuffix(":\"\\u{1f600}\"}")
        )
        #expect(json(try node("\t{\"\(key)\": 1}", path: "d.yaml")).hasSuffix(":1}"))
    }
}
