import Foundation
import GatewayJSON
import Testing

private struct Item: JSONObjectCodable, Equatable {
    var name: String
    var count: Int
    var note: Field<String>
    var tags: [String]?
    var limit: Double?

    init(fields o: inout JSONObject) throws(JSONError) {
        name = try o.string("name")
        count = try o.int("count")
        note = try o.field("note")
        tags = try o.optional("tags")
        limit = try o.nullable("limit")
    }

    func write(fields w: inout JSONWriter) {
        w.string("name", name)
        w.int("count", count)
        w.field("note", note)
        w.optional("tags", tags)
        w.nullable("limit", limit)
    }
}

@Suite struct JSONObjectTests {
    @Test func nullIsOneOfAnyValues() throws {
        var object = try JSONDocument(Array(#"{"a":null,"b":1}"#.utf8)).root.object()
        #expect(try object.any("a") == .null)
        #expect(try object.any("b") == 1)
        #expect(try object.any("c") == nil)
    }

    private func item(_ text: String) throws(JSONError) -> Item { try Item(jsonBytes: Array(text.utf8)) }

    @Test func readsMembersInAnyOrder() throws {
        let item = try item(#"{"limit":null,"tags":["a"],"x":{"name":"no"},"count":2,"na\u006de":"N"}"#)
        #expect(item.name == "N")
        #expect(item.count == 2)
        #expect(item.note == .absent)
        #expect(item.tags == ["a"])
        #expect(item.limit == nil)
    }

    @Test(arguments: [
        (#"{"name":"n","count":1,"limit":1.5}"#, Field<String>.absent),
        (#"{"name":"n","count":1,"note":null,"limit":null}"#, .null),
        (#"{"name":"n","count":1,"note":"x","tags":[],"limit":null}"#, .value("x")),
    ]) func fieldsRoundTrip(text: String, note: Field<String>) throws {
        let item = try item(text)
        #expect(item.note == note)
        #expect(String(decoding: try item.jsonBytes(), as: UTF8.self) == text)
    }

    @Test(arguments: [
        (#"{"count":1}"#, JSONError.Code.missing, "$.name"),
        (#"{"name":1}"#, .wrongType, "$.name"),
        (#"{"name":null}"#, .wrongType, "$.name"),
        (#"{"name":"","count":1.5}"#, .outOfRange, "$.count"),
        (#"{"name":"","count":9223372036854775808}"#, .outOfRange, "$.count"),
        (#"{"name":"","count":"1"}"#, .wrongType, "$.count"),
        (#"{"name":"","count":1,"tags":["a",7]}"#, .wrongType, "$.tags[1]"),
        (#"{"name":"","count":1,"tags":[]}"#, .missing, "$.limit"),
        (#"[]"#, .wrongType, "$"),
    ]) func errorsNameThePath(text: String, code: JSONError.Code, path: String) {
        do throws(JSONError) {
            _ = try item(text)
            Issue.record("accepted")
        } catch {
            #expect(error.code == code)
            #expect(error.path == path)
        }
    }

    @Test func pathsReachDeep() throws {
        let root = try JSONDocument(Array(#"{"a":[{},{"odd key":[0,[true]]}],"b":1}"#.utf8)).root
        let list = try #require(root["a"])
        let second = try #require(Array(try list.elements()).last)
        let odd = try #require(second["odd key"])
        let inner = try #require(Array(try odd.elements()).last)
        #expect(try #require(Array(try inner.elements()).first).path == #"$.a[1]["odd key"][1][0]"#)
        #expect(try #require(root["b"]).path == "$.b")
        #expect(root.path == "$")
    }

    @Test func errorsHoldNoValues() {
        do throws(JSONError) {
            _ = try item(#"{"name":["s3cret"],"count":1}"#)
        } catch {
            #expect(!error.description.contains("s3cret"))
        }
    }

    @Test func additionalMembersAreThoseNotNamed() throws {
        let root = try JSONDocument(Array(#"{"a":1,"b":2,"c":3}"#.utf8)).root
        let rest: [String: Int] = try root.object().additional(["b"])
        #expect(rest == ["a": 1, "c": 3])
    }

    /// Strings are equal where their characters are: of two such names, none is dropped in silence.
    @Test func namesThatADictionaryCannotTellApartAreRefused() throws {
        let bytes = Array("{\"x\":{\"\u{E9}\":1,\"e\u{301}\":2}}".utf8)
        do throws(JSONError) {
            _ = try JSONValue(jsonBytes: bytes)
            Issue.record("accepted")
        } catch {
            #expect(error.code == .duplicateKey)
            #expect(error.path == "$[#0]")
        }
        // As bytes they are two.
        #expect(try JSONDocument(bytes).root["x"]?.object().count == 2)
    }

    @Test func otherCodersWorkThroughTheBridge() throws {
        let text = #"{"count":9007199254740993,"limit":0.5,"name":"n","tags":["x"]}"#
        let item = try JSONDecoder().decode(Item.self, from: Data(text.utf8))
        #expect(item.count == 9_007_199_254_740_993)
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(item), as: UTF8.self) == text)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(Item.self, from: Data("{}".utf8)) }
    }
}
