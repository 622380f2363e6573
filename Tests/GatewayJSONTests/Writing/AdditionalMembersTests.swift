import GatewayJSON
import Testing

/// Objects as they are generated, with properties and members that the document does not name.
@Suite struct AdditionalMembersTests {
    private struct Node: JSONObjectEncodable {
        var id: String?
        var others: [String: Int]
        func write(fields w: inout JSONWriter) {
            w.optional("id", id)
            w.optional("é", Int?.none)
            w.additional(others, ["id", "é"])
        }
    }

    /// Written twice, readers would differ on which one counts; left out, a value would be lost.
    @Test(arguments: ["id", "é"]) func aPropertyIsNotWrittenTwice(name: String) {
        for id in [nil, "a"] {
            let error = #expect(throws: JSONError.self) { try Node(id: id, others: [name: 1]).jsonBytes() }
            #expect(error?.code == .notRepresentable)
        }
    }

    @Test func othersAreWritten() throws {
        // A name that is not the same byte by byte is another one.
        let bytes = try Node(id: "a", others: ["ID": 1, "e\u{301}": 2]).jsonBytes()
        #expect(String(decoding: bytes, as: UTF8.self) == "{\"id\":\"a\",\"ID\":1,\"e\u{301}\":2}")
        #expect(try Node(id: "a", others: [:]).jsonBytes() == Array(#"{"id":"a"}"#.utf8))
    }
}
