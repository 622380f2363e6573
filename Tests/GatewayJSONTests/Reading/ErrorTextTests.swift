import GatewayJSON
import Testing

/// Errors name members that the type knows. Others may be secrets: they have their position.
@Suite struct ErrorTextTests {
    private func root(_ text: String) throws -> JSONElement { try JSONDocument(Array(text.utf8)).root }

    private func thrown(_ read: () throws(JSONError) -> Void) -> JSONError? {
        do throws(JSONError) { try read() } catch { return error }
        return nil
    }

    @Test func namesOfADictionaryAreNotShown() throws {
        let bytes = Array(#"{"fine":1,"SEKRET-session-token-1234":"x"}"#.utf8)
        let error = try #require(
            thrown { () throws(JSONError) in _ = try [String: Int](jsonBytes: bytes) })
        #expect(error.path == "$[#1]")
        #expect(!error.description.contains("SEKRET"))
    }

    @Test func namesBesideAndBelowAreShownIfTheyAreKnown() throws {
        var object = try root(#"{"id":1,"prices":{"SEKRET":[{"SEKRET":{}}]}}"#).object()
        let error = try #require(
            thrown { () throws(JSONError) in
                let _: [String: [[String: Int]]] = try object.required("prices")
            })
        #expect(error.path == "$.prices[#0][0][#0]")
        for member in try root(#"{"SEKRET":{"name":[1]}}"#).object().members {
            #expect(member.element.path == "$[#0]")
            let name = try #require(member.element["name"])
            #expect(name.path == "$[#0].name")
            #expect(try Array(name.elements()).map(\.path) == ["$[#0].name[0]"])
            #expect(name.wrongType("a number").description.contains("$[#0].name:"))
        }
    }

    @Test func equivalentNamesAreFoundBelowKnownOnes() throws {
        var object = try root("{\"x\":[{\"SEKRET\":{\"\u{E9}\":1,\"e\u{301}\":2}}]}").object()
        let error = try #require(
            thrown { () throws(JSONError) in let _: JSONValue = try object.required("x") })
        #expect(error.code == .duplicateKey)
        #expect(error.path == "$.x[0][#0]")
    }

    /// Which names were asked for is remembered for the last 64 steps.
    @Test func namesFarAboveAreNotShown() throws {
        let count = 70
        let text = String(repeating: #"{"a":"#, count: count) + "1" + String(repeating: "}", count: count)
        var element = try root(text)
        for _ in 0..<count { element = try #require(element["a"]) }
        let path = "$" + String(repeating: "[#0]", count: count - 64) + String(repeating: ".a", count: 64)
        #expect(element.path == path)
    }

    @Test func textsAreBounded() throws {
        for letter in ["x", "é", "世", "\u{1F600}"] {
            for count in 390...410 {
                let text = String(repeating: letter, count: count)
                let error = JSONError(.missing, text, path: text)
                #expect(error.message.utf8.count <= 400 && error.path == error.message)
                #expect((error.message == text) == (text.utf8.count <= 400))
                #expect(!error.message.unicodeScalars.contains("\u{FFFD}"))
                #expect(error.description.utf8.count <= 1_024)
            }
        }
        let name = "SEKRET" + String(repeating: "x", count: 1 << 20)
        let bytes = Array("{\"\(name)\":\"x\"}".utf8)
        let error = try #require(
            thrown { () throws(JSONError) in _ = try [String: Int](jsonBytes: bytes) })
        #expect(error.description.utf8.count < 100)
        let deep = String(repeating: "[", count: 250) + String(repeating: "]", count: 250)
        var element = try root(deep)
        while let next = try Array(element.elements()).first { element = next }
        let far = try #require(thrown { () throws(JSONError) in _ = try element.bool() })
        #expect(far.path.utf8.count == 399 && far.path.hasSuffix("[0]"))
    }
}
