import GatewayCore
import Testing

/// Percent-encoding, forms and hexadecimal digits.
@Suite struct PercentEncodingTests {
    @Test func bytesThatAreNotKeptAreEncoded() {
        let bytes = Array("aZ09-._~ /é\u{0}".utf8)
        #expect(String(percentEncoding: bytes, keeping: \.isUnreserved) == "aZ09-._~%20%2F%C3%A9%00")
        #expect(String(percentEncoding: [], keeping: \.isUnreserved).isEmpty)
    }

    @Test(arguments: [
        ("a%20b", "a b"), ("%C3%a9", "é"), ("%", "%"), ("%4", "%4"), ("%4g", "%4g"), ("%%41", "%A"),
        ("a+b", "a+b"),
    ])
    func tripletsAreDecoded(text: String, decoded: String) {
        #expect(String(percentDecoding: Array(text.utf8)[...]) == decoded)
    }

    @Test func formsAreReadAsTheyAreWritten() {
        let pairs = [("a b", "1&2=3"), ("é*", "-._~+%"), ("empty", "")]
        let text = URLEncodedForm.encode(pairs)
        #expect(text == "a+b=1%262%3D3&%C3%A9*=-._%7E%2B%25&empty=")
        let read = URLEncodedForm.decode(text.utf8)
        #expect(read.map(\.name) == pairs.map(\.0))
        #expect(read.map(\.value) == pairs.map(\.1))
        #expect(URLEncodedForm.decode("a&&=b".utf8).map(\.name) == ["a", ""])
        #expect(URLEncodedForm.decode("a&&=b".utf8).map(\.value) == ["", "b"])
    }

    @Test func hexadecimalDigitsAreInLowerCase() {
        #expect(UInt64(0xAB).hexadecimal == "00000000000000ab")
        #expect(UInt64.max.hexadecimal == "ffffffffffffffff")
        #expect(([0x00, 0x0F, 0xF0, 0xFF] as [UInt8]).hexadecimal == "000ff0ff")
        #expect("09afAF".utf8.map(\.hexadecimalValue) == [0, 9, 10, 15, 10, 15])
        #expect("/:@gG`".utf8.allSatisfy { $0.hexadecimalValue == nil })
    }
}
