import GatewayJSON
import Testing

/// Values that were decoded refer to their document; they must be like those that were made.
@Suite struct JSONValueTests {
    private static let text =
        #"{"a":[1,2.50,{"b":null,"é":"x"},[]],"c":{"d":{"e":true}},"\u0066":"g\n","empty":{}}"#
    private static let made: JSONValue = [
        "a": [1, .number(JSONNumber("2.50") ?? JSONNumber(0)), ["b": nil, "é": "x"], []],
        "c": ["d": ["e": true]], "f": "g\n", "empty": [:],
    ]

    private func decoded(_ text: String = text) throws -> JSONValue {
        try JSONValue(jsonBytes: Array(text.utf8))
    }

    @Test func decodedAndMadeValuesAreEqual() throws {
        let value = try decoded()
        #expect(value == Self.made)
        #expect(value.hashValue == Self.made.hashValue)
        #expect(value["c"] == Self.made["c"])
        #expect(try value.jsonBytes() == Self.made.jsonBytes())
        for other in [#"{"a":[]}"#, "[]", "{}", #"[1]"#] { #expect(try decoded(other) != Self.made) }
    }

    @Test func membersAndElementsAreFound() throws {
        for value in [try decoded(), Self.made] {
            #expect(value["a"]?[1]?.number?.text == "2.50")
            #expect(value["a"]?[2]?["b"] == .null)
            #expect(value["a"]?[2]?["\u{E9}"]?.string == "x")
            #expect(value["f"]?.string == "g\n")
            #expect(value["c"]?["d"]?["e"]?.bool == true)
            #expect(value["a"]?[0]?.int == 1)
            let missing: [JSONValue?] = [
                value["x"], value["a"]?["a"], value["a"]?[4], value["a"]?[-1], value[0], value["f"]?["f"],
            ]
            #expect(missing.map { $0?.description } == [nil, nil, nil, nil, nil, nil])
            #expect(value["a"]?.array?.count == 4)
            #expect(value.object?.keys.sorted() == ["a", "c", "empty", "f"])
            #expect(value["empty"]?.object == [:])
            #expect(value.array == nil)
            #expect(value["a"]?.object == nil)
        }
    }

    @Test func contentIsOneLevel() throws {
        guard case .object(let members) = try decoded().content,
            case .array(let elements)? = members["a"]?.content,
            case .object(let inner)? = elements.dropFirst(2).first?.content
        else {
            Issue.record("not an object with an array of objects")
            return
        }
        #expect(inner == ["b": nil, "é": "x"])
    }

    /// Not the document that a part was decoded from.
    @Test func aPartPrintsItself() throws {
        let part = try #require(try decoded()["c"])
        for text in ["\(part)", String(reflecting: part)] { #expect(text == #"{"d":{"e":true}}"#) }
        var dumped = ""
        dump(part, to: &dumped)
        #expect(dumped.contains("true"))
        #expect(!dumped.contains("empty"))
    }

    /// A dictionary would keep one of two names that differ only in their bytes.
    @Test(arguments: [
        "{\"\u{e9}\":1,\"e\u{301}\":2}", "[{\"a\":{\"K\":1,\"\u{212A}\":2}}]",
        "{\"a\":[{\"\u{e9}\":1,\"\\u0065\\u0301\":2}]}",
    ])
    func equivalentNamesAreRefused(text: String) {
        #expect { try decoded(text) } throws: { ($0 as? JSONError)?.code == .duplicateKey }
    }

    @Test func aValueOutlivesWhatItWasDecodedFrom() throws {
        var whole: JSONValue? = try decoded()
        let part = whole?["c"]
        whole = nil
        #expect(part == Self.made["c"])
    }

    /// Any order of members: the same value, written in the order of their names.
    @Test func membersHaveNoOrder() throws {
        let (one, other) = (
            try decoded(#"{"b":1,"a":{"d":1,"c":2}}"#), try decoded(#"{"a":{"c":2,"d":1},"b":1}"#)
        )
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        #expect(one.description == #"{"a":{"c":2,"d":1},"b":1}"#)
    }
}
