import GatewayCore
import Testing

@Suite struct FieldValueTests {
    /// Every byte of ASCII at every place of a value that is longer than what is looked at in one go (RFC 9110 §5.5).
    @Test(arguments: 0..<20)
    func controlsAreFoundWhereverTheyStand(place: Int) {
        for byte in UInt8(0)..<128 {
            var bytes = [UInt8](repeating: UInt8(ascii: "~"), count: 20)
            bytes[place] = byte
            let isAllowed = byte == 0x09 || byte >= 0x20 && byte != 0x7F
            let field = HTTPField("X-Test", String(decoding: bytes, as: UTF8.self))
            #expect(field.isValid == isAllowed, "byte \(byte) at \(place)")
        }
    }

    @Test(arguments: ["", "a", "tab\tinside", "grüße, 世界", String(repeating: "é", count: 30)])
    func textIsAllowed(value: String) { #expect(HTTPField("X-Test", value).isValid) }

    @Test(arguments: ["é\n", "世界世界世界\r", "0123456\u{0}", "01234567\u{7F}"])
    func controlsBesideOtherLettersAreFound(value: String) { #expect(!HTTPField("X-Test", value).isValid) }
}
