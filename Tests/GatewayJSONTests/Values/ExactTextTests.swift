@_spi(Generated) import GatewayJSON
import Testing

@Suite struct ExactTextTests {
    /// As generated code switches over a text.
    private func number(_ text: String?) -> Int {
        switch text?.exact {
        case "caf\u{E9}"?: 1
        case "cafe\u{301}"?: 2
        case "K"?: 3
        default: 0
        }
    }

    @Test func aSwitchComparesCodePoints() {
        #expect(number("caf\u{E9}") == 1)
        #expect(number("cafe\u{301}") == 2)
        #expect(number("K") == 3)
        #expect(number("\u{212A}") == 0)
        #expect(number(nil) == 0)
    }

    @Test func aMemberIsFoundByCodePoints() throws {
        let value = try JSONValue(jsonBytes: Array("{\"caf\u{E9}\":1}".utf8))
        #expect(value["caf\u{E9}"]?.int == 1)
        #expect(value["cafe\u{301}"] == nil)
    }
}
