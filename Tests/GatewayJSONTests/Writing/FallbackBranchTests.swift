@_spi(Generated) import GatewayJSON
import Testing

@Suite struct FallbackBranchTests {
    /// The fallback branch of a union whose other branches have the kinds `cat` and `7`.
    private struct Other: JSONEncodable {
        var value: JSONValue
        func write(to writer: inout JSONWriter) { writer.fallback(value, "kind", ["cat", "7"]) }
    }

    private func bytes(_ json: String) throws -> [UInt8] {
        try [Other(value: JSONValue(jsonBytes: Array(json.utf8)))].jsonBytes()
    }

    @Test(arguments: [
        #"{"kind":"dog"}"#, #"{"kind":"Cat"}"#, #"{"kind":8}"#, #"{"kind":null}"#, #"{"a":1}"#, "{}", "[]",
        "1",
        #"{"a":{"kind":"cat"}}"#,
    ])
    func anotherValueIsWritten(json: String) throws {
        #expect(try bytes(json) == Array("[\(json)]".utf8))
    }

    @Test(arguments: [#"{"kind":"cat"}"#, #"{"kind":7}"#, #"{"a":1,"kind":"7"}"#])
    func aValueOfAnotherBranchIsNot(json: String) throws {
        let error = #expect(throws: JSONError.self) { try bytes(json) }
        #expect(error?.code == .notRepresentable)
    }

    @Test func aValueThatCannotBeWrittenStaysAnError() {
        struct Infinite: JSONEncodable {
            func write(to writer: inout JSONWriter) { writer.fallback(Double.infinity, "kind", ["cat"]) }
        }
        #expect(throws: JSONError.self) { try Infinite().jsonBytes() }
    }
}
