import Testing

@testable import GatewayResilience

/// Structured fields (RFC 9651), as far as rate limits use them.
@Suite struct StructuredFieldTests {
    @Test func itemsAndParametersAreRead() throws {
        let list = try #require(
            StructuredField.list(#" "a\"\\b";x;y=?0;z=*t/1:2 ,\#t-12.5;q=:YQ==:, @1;b=?1;x=1;x=2 "#))
        #expect(
            list == [
                StructuredItem(
                    value: .string(#"a"\b"#),
                    parameters: ["x": .boolean(true), "y": .boolean(false), "z": .token("*t/1:2")]),
                StructuredItem(value: .decimal(-12.5), parameters: ["q": .bytes("YQ==")]),
                StructuredItem(value: .date(1), parameters: ["b": .boolean(true), "x": .integer(2)]),
            ])
        #expect(StructuredField.list("")?.isEmpty == true)
        #expect(StructuredField.list("999999999999999")?.first?.number == 999_999_999_999_999)
        let dictionary = try #require(StructuredField.dictionary("a=1;x, b, a=2"))
        #expect(dictionary["a"]?.value == .integer(2) && dictionary["b"]?.value == .boolean(true))
    }

    @Test(
        arguments: [
            ",", "a,", "a,,b", "a b", "\"a", "\"\\n\"", "\"ä\"", "1.", "1.2345", "1000000000000000",
            "1234567890123.1", "-", "--1", ":a", "?2", "?", "@a", "@1.5", "a;", "a;B=1", "a; =1", "a;x=",
            "(a b)",
            "ä", "=", String(repeating: "a,", count: 32) + "a", String(repeating: "a", count: 4_097),
        ])
    func whatIsMalformedIsRefused(text: String) {
        #expect(StructuredField.list(text) == nil)
    }

    @Test func malformedDictionariesAreRefused() {
        for text in ["1", "A=1", "a=", "a=1,", "a b", "a=1 b=2"] {
            #expect(StructuredField.dictionary(text) == nil, "\(text)")
        }
    }
}
