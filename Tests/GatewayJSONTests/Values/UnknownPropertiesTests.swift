import GatewayJSON
import Testing

/// Objects as they are generated, with properties that the document does not define.
@Suite struct UnknownPropertiesTests {
    private struct Node: JSONObjectCodable {
        var id: String?
        var name: String?
        var child: [Node]?
        var others: UnknownProperties

        init(fields o: inout JSONObject) throws(JSONError) {
            id = try o.optional("id")
            name = try o.optional("é")
            child = try o.optional("child")
            others = try o.unknown(["id", "é", "child"])
        }
        func write(fields w: inout JSONWriter) {
            w.optional("id", id)
            w.optional("é", name)
            w.optional("child", child)
            w.unknown(others, ["id", "é", "child"])
        }
    }

    private func node(_ text: String, limits: JSONLimits = JSONLimits()) throws(JSONError) -> Node {
        try Node(jsonBytes: Array(text.utf8), limits: limits)
    }

    private func text(_ value: some JSONEncodable) throws -> String {
        String(decoding: try value.jsonBytes(), as: UTF8.self)
    }

    @Test(arguments: [
        (#"{"z":1,"id":"a","b":2,"a":3}"#, #"{"id":"a","z":1,"b":2,"a":3}"#),
        // Numbers keep their digits, strings their escapes, and objects their order.
        (
            #"{"n":[1.10,1e2,-0,123456789012345678901234567890],"s":"\u00e9\n\/"}"#,
            #"{"n":[1.10,1e2,-0,123456789012345678901234567890],"s":"\u00e9\n\/"}"#
        ),
        (#"{"o":{"z":{"y":[],"a":{}},"b":null}}"#, #"{"o":{"z":{"y":[],"a":{}},"b":null}}"#),
        ("{ \"o\" : { \"z\" : [ true ,\n false ] } }", #"{"o":{"z":[true,false]}}"#),
        // A name is what its escapes say.
        (#"{"\u0069d":"a","\u0061":1}"#, #"{"id":"a","a":1}"#),
        // Names that are only canonically equivalent are different ones.
        ("{\"é\":\"a\",\"e\u{301}\":1}", "{\"é\":\"a\",\"e\u{301}\":1}"),
        ("{\"u\":{\"é\":1,\"e\u{301}\":2}}", "{\"u\":{\"é\":1,\"e\u{301}\":2}}"),
        (#"{"child":[{"x":1,"child":[{"y":2}]}],"w":3}"#, #"{"child":[{"child":[{"y":2}],"x":1}],"w":3}"#),
        ("{}", "{}"),
    ])
    func theyComeBack(given: String, written: String) throws {
        #expect(try text(node(given)) == written)
        #expect(try text(node(written)) == written)
    }

    @Test func valuesAreReadAndChanged() throws {
        var others = try node(#"{"id":"a","b":{"c":[1.50]},"a":null}"#).others
        #expect(others.names == ["b", "a"])
        #expect(others["b"]?["c"]?[0] == .number(try #require(JSONNumber("1.50"))))
        #expect(others["a"] == .null)
        #expect(others["id"] == nil)
        others["b"] = "text"
        others["new"] = [1, 2]
        others["a"] = nil
        #expect(others.names == ["b", "new"])
        #expect(others.description == #"{"b":"text","new":[1,2]}"#)
        #expect(others == ["b": "text", "new": [1, 2]])
        others["b"] = nil
        others["new"] = nil
        #expect(others.isEmpty)
        #expect(UnknownProperties().isEmpty)
    }

    /// Written twice, readers would differ on which one counts; left out, a value would be lost.
    @Test(arguments: ["id", "é"]) func aPropertyIsNotWrittenTwice(name: String) throws {
        for given in ["{}", #"{"id":"a","é":"b"}"#] {
            var node = try node(given)
            node.others[name] = 1
            let error = #expect(throws: JSONError.self) { try node.jsonBytes() }
            #expect(error?.code == .notRepresentable)
        }
        var node = try node("{}")
        node.others["e\u{301}"] = 1
        #expect(try text(node) == "{\"e\u{301}\":1}")
    }

    @Test func aNumberWithoutNotationIsNotWritten() throws {
        var node = try node("{}")
        node.others["x"] = [.number(JSONNumber(1)), JSONValue(floatLiteral: .nan)]
        let error = #expect(throws: JSONError.self) { try node.jsonBytes() }
        #expect(error?.code == .notRepresentable)
    }

    @Test func orderAndSpaceDoNotMatter() throws {
        let one = try node(#"{"a":{"x":1,"y":2},"b":1}"#).others
        let other = try node(#"{"b": 1, "a": {"y":2, "x":1}}"#).others
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
        for different in ["{}", #"{"a":{"x":1,"y":2}}"#, #"{"a":{"x":1,"y":2},"b":1.0}"#, #"{"a":1,"c":1}"#] {
            #expect(try one != node(different).others)
        }
    }

    @Test func theyCountForTheLimits() throws {
        let nested = #"{"u":"# + String(repeating: "[", count: 9) + String(repeating: "]", count: 9) + "}"
        #expect(try text(node(nested, limits: JSONLimits(depth: 10))) == nested)
        let deep = #expect(throws: JSONError.self) { try node(nested, limits: JSONLimits(depth: 9)) }
        #expect(deep?.code == .tooDeep)
        let many = #"{"u":[1,2,3,4,5,6,7,8]}"#
        let large = #expect(throws: JSONError.self) { try node(many, limits: JSONLimits(values: 8)) }
        #expect(large?.code == .tooLarge)
    }

    /// A value deeper than the default limit is read where a larger one allowed it.
    @Test func whatWasReadCanBeReadAgain() throws {
        let arrays = String(repeating: "[", count: 300) + String(repeating: "]", count: 300)
        let node = try node(#"{"u":"# + arrays + "}", limits: JSONLimits(depth: 400))
        #expect(try text(#require(node.others["u"])) == arrays)
    }

    /// Each attempt at a branch of a union copies what is unknown to it, so that copies count as work.
    @Test func copiesCountAsWork() throws {
        struct Tries: JSONDecodable {
            init(json: JSONElement) throws(JSONError) {
                for _ in 0..<1_000 { _ = try Node(json: json) }
            }
        }
        let wide = #"{"u":["# + (0..<2_000).map { "\($0)" }.joined(separator: ",") + "]}"
        let error = #expect(throws: JSONError.self) { try Tries(jsonBytes: Array(wide.utf8)) }
        #expect(error?.code == .tooComplex)
    }
}
