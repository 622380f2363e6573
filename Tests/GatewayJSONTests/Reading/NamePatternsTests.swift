@_spi(Generated) import GatewayJSON
import Testing

/// Objects as they are generated, with properties whose names match patterns.
@Suite struct NamePatternsTests {
    private struct Node: JSONObjectCodable {
        var id: String?
        var texts: [String: String] = [:]
        var numbers: [String: Int] = [:]
        var others: [String: JSONValue] = [:]
        private static let patterns = NamePatterns("^x-\n^[0-9]+$\t-n$")

        init() {}

        init(fields o: inout JSONObject) throws(JSONError) {
            id = try o.optional("id")
            texts = try o.matching(["id"], Self.patterns, 0)
            numbers = try o.matching(["id"], Self.patterns, 1)
            others = try o.unmatched(["id"], Self.patterns)
        }

        func write(fields w: inout JSONWriter) {
            w.optional("id", id)
            w.matching(texts, ["id"], Self.patterns, 0)
            w.matching(numbers, ["id"], Self.patterns, 1)
            w.unmatched(others, ["id"], Self.patterns)
        }
    }

    @Test func eachNameBelongsToTheFirstPattern() throws {
        let json = #"{"id":"a","x-a":"t","x-n":"u","12":3,"a-n":4,"o":null}"#
        let node = try Node(jsonBytes: Array(json.utf8))
        #expect(node.texts == ["x-a": "t", "x-n": "u"])
        #expect(node.numbers == ["12": 3, "a-n": 4])
        #expect(node.others == ["o": .null])
        #expect(try String(decoding: node.jsonBytes(), as: UTF8.self) == json)
    }

    /// It would be read as another member, or be there twice.
    @Test func aNameOfAnotherMemberIsNotWritten() {
        for change in [
            { (node: inout Node) in node.texts["a"] = "" }, { $0.numbers["x-1"] = 1 },
            { $0.others["x-1"] = .null }, { $0.others["id"] = .null },
        ] {
            var node = Node()
            change(&node)
            let error = #expect(throws: JSONError.self) { try node.jsonBytes() }
            #expect(error?.code == .notRepresentable)
        }
    }

    @Test func aValueOfAnotherTypeIsAnError() {
        let error = #expect(throws: JSONError.self) { try Node(jsonBytes: Array(#"{"x-a":1}"#.utf8)) }
        #expect(error?.code == .wrongType)
    }
}
