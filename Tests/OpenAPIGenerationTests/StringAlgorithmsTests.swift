import Testing

@testable import OpenAPIGeneration

/// The algorithms on texts of the module, which replace those of the standard library.
@Suite struct StringAlgorithmsTests {
    @Test(arguments: [
        ("", [""]), ("a", ["a"]), ("/", ["", ""]), ("a//b/", ["a", "", "b", ""]),
        // A combining mark is of one character with the slash before it.
        ("a/\u{301}b", ["a", "\u{301}b"]), ("é/ü", ["é", "ü"]),
    ])
    func `Splitting keeps empty parts`(text: String, parts: [String]) {
        #expect(text.split(atByte: "/").map { String($0) } == parts)
        #expect(("/" + text).dropFirst().split(atByte: "/").map { String($0) } == parts)
    }

    @Test func `A plain text has no tabs and line ends`() {
        #expect("".isPlain && "a é".isPlain)
        #expect(!"a\tb".isPlain && !"a\n".isPlain && !"\0".isPlain)
    }

    @Test func `Integers are parsed as the standard library does`() {
        for text in [
            "", "0", "-1", "+1", "1.0", " 1", "9223372036854775807", "9223372036854775808", "\u{661}",
        ] {
            #expect(Int(text) == Int(text[...]))
            #expect(Int64(text) == Int64(text[...]))
        }
    }

    @Test func `Names are split at letters of another case`() {
        #expect(SwiftName.words("HTTPServer2Name_x") == ["HTTP", "Server2Name", "x"])
        #expect(SwiftName.words("aB--ABc éÀb") == ["a", "B", "A", "Bc", "é", "Àb"])
    }

    @Test func `A search for members ends at the first one`() {
        let position = SourcePosition.start
        let inner = Node([("$dynamicRef", Node(value: .null, position: position))], at: position)
        let list = Node(value: .array([Node(value: .null, position: position), inner]), position: position)
        let root = Node([("a", list), ("b", Node(value: .null, position: position))], at: position)
        var seen: [String] = []
        #expect(
            root.hasMember { member in
                seen.append(member.key)
                return member.key == "$dynamicRef"
            })
        #expect(seen == ["a", "$dynamicRef"])
        #expect(!root.hasMember { $0.key == "c" })
    }
}
