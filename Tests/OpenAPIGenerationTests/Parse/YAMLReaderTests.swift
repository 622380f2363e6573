import Testing

@testable import OpenAPIGeneration

@Suite struct YAMLReaderTests {
    /// YAML 1.2's core schema, not YAML 1.1's.
    @Test(arguments: [
        ("null", "null"), ("~", "null"), ("Null", "null"), ("NULL", "null"), ("", "null"),
        ("nUll", "\"nUll\""),
        ("true", "true"), ("True", "true"), ("FALSE", "false"), ("tRue", "\"tRue\""),
        ("yes", "\"yes\""), ("no", "\"no\""), ("on", "\"on\""), ("off", "\"off\""), ("y", "\"y\""),
        ("0", "0"), ("12", "12"), ("+12", "12"), ("-7", "-7"), ("0777", "777"), ("0o17", "15"),
        ("0x1F", "31"),
        ("1_000", "\"1_000\""), ("1:30", "\"1:30\""), ("0b11", "\"0b11\""), (".", "\".\""),
        ("1.5", "1.5"), (".5", "0.5"), ("1.", "1"), ("1e3", "1e3"), ("-1.5E-3", "-1.5E-3"),
        (".inf", "\".inf\""), (".nan", "\".nan\""), ("1.2.3", "\"1.2.3\""), ("2024-01-02", "\"2024-01-02\""),
        ("9007199254740993", "9007199254740993"), ("18446744073709551616", "18446744073709551616"),
        ("'12'", "\"12\""), ("\"true\"", "\"true\""), ("!!str 12", "\"12\""), ("!!int '12'", "12"),
    ])
    func resolvesScalars(text: String, expected: String) throws {
        #expect(json(try node("v: \(text)\n")["v"] ?? .init(value: .null, position: .start)) == expected)
    }

    /// What has no quotes keeps its text, whatever it is read as.
    @Test func scalarsKeepTheirSpelling() throws {
        let items = try node("[007, 1.10, True, ~, a, '1', !!int 2]").array ?? []
        #expect(items.map(\.spelling) == ["007", "1.10", "True", "~", nil, nil, nil])
        #expect(items.map(\.text) == ["007", "1.10", "True", nil, "a", "1", "2"])
        let json = try node("[1.10, true]", path: "d.json").array ?? []
        #expect(json.map(\.spelling) == [nil, nil])
        #expect(json.map(\.text) == ["1.10", "true"])
    }

    @Test func keysAreTextAndKeepTheirOrder() throws {
        let root = try node("200: a\nno: b\n'x': c\nnull: d\n")
        #expect(root.members.map(\.key) == ["200", "no", "x", "null"])
    }

    @Test func positions() throws {
        let root = try node("a:\n  - x\n  - \u{e9}\u{e9}: 1\n")
        let second = try #require(root["a"]?.array?.last)
        #expect(root.members[0].keyPosition == SourcePosition(line: 1, column: 1))
        #expect(second.members[0].keyPosition == SourcePosition(line: 3, column: 5))
        #expect(second.members[0].value.position == SourcePosition(line: 3, column: 9))
    }

    @Test func byteOrderMarkAndLineEnds() throws {
        #expect(json(try node("\u{FEFF}a: 1\r\nb: |\r\n  x\r\n  y\r\n")) == #"{"a":1,"b":"x\ny\n"}"#)
        #expect(finding([0xFF, 0xFE, 0x61, 0x00], path: "d.yaml") == "1:1 encoding")
        #expect(finding([0x61, 0x0A, 0xC3, 0x28], path: "d.yaml") == "2:1 encoding")
    }

    @Test(arguments: [
        [0xC0, 0xAF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC3], [0x80],
        [0xF0, 0x9F, 0x98], [0xFF],
    ])
    func refusesWhatIsNotUTF8(bytes: [UInt8]) {
        #expect(finding([0x22, 0x61] + bytes, path: "d.json") == "1:3 encoding")
    }

    @Test func anchorsAliasesAndMergeKeys() throws {
        let root = try node(
            "base: &b { x: 1, y: 2 }\nother: &o { y: 3, z: 4 }\none: { <<: *b, y: 9 }\ntwo: { <<: [*b, *o] }\nlist: [*b]\n"
        )
        #expect(json(root["one"] ?? root) == #"{"y":9,"x":1}"#)
        #expect(json(root["two"] ?? root) == #"{"x":1,"y":2,"z":4}"#)
        #expect(json(root["list"] ?? root) == #"[{"x":1,"y":2}]"#)
        #expect(json(try node("'<<': 1")) == #"{"<<":1}"#)
    }

    @Test(arguments: [
        ("a: 1\nb: 2\na: 3\n", "3:1 duplicate-key"), ("a: *nope\n", "1:4 yaml-syntax"),
        ("a: &x [*x]\n", "1:8 yaml-syntax"), ("? [a]\n: 1\n", "1:3 yaml-syntax"),
        ("a: 1\n---\nb: 2\n", "2:1 yaml-syntax"), ("", "1:1 yaml-syntax"), ("# only\n", "1:1 yaml-syntax"),
        ("a: [1\n", "2:1 yaml-syntax"), ("a: b: c\n", "1:5 yaml-syntax"),
        ("a: 1\n <<: 2\n", "2:4 yaml-syntax"),
        ("x: { <<: 2 }\n", "1:10 yaml-syntax"), ("a:\n\t- 1\n", "2:1 yaml-syntax"),
    ])
    func refuses(text: String, expected: String) {
        #expect(finding(text, path: "d.yaml") == expected)
    }

    @Test func anAliasBombIsRefused() {
        var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        for level in 1...12 {
            let alias = "*a\(level - 1)"
            text += "a\(level): &a\(level) [\(Array(repeating: alias, count: 10).joined(separator: ", "))]\n"
        }
        #expect(finding(text, path: "d.yaml")?.hasSuffix("limit") == true)
    }

    @Test func depthHasABound() {
        #expect(finding(String(repeating: "[", count: 5000), path: "d.yaml")?.hasSuffix("limit") == true)
    }
}
