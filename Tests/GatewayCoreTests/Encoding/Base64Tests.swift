import GatewayCore
import Testing

@Suite struct Base64Tests {
    /// RFC 4648 §10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func theStandardsVectors(bytes: String, text: String) {
        #expect(Base64.encode(bytes.utf8) == text)
        #expect(Base64.decode(text.utf8) == Array(bytes.utf8))
        let bare = text.filter { $0 != "=" }
        #expect(Base64.encodeURL(bytes.utf8) == bare)
        #expect(Base64.decodeURL(bare.utf8) == Array(bytes.utf8))
    }

    @Test func everyByteInBothAlphabets() {
        let bytes = (0...255).map { UInt8($0) }
        #expect(Base64.decode(Base64.encode(bytes).utf8) == bytes)
        #expect(Base64.decodeURL(Base64.encodeURL(bytes).utf8) == bytes)
        #expect(Base64.encode([0xFB, 0xFF]) == "+/8=")
        #expect(Base64.encodeURL([0xFB, 0xFF]) == "-_8")
    }

    @Test(arguments: [
        "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Z===", "====", "=", "Zg==Zg==", "Z=g=", "-_8=", "Zg==\n",
        " Zg=",
        "Zm9v====",
    ])
    func oneValueHasOneText(text: String) {
        #expect(Base64.decode(text.utf8) == nil)
    }

    @Test(arguments: ["Z", "Zh", "Zm9", "Zg==", "+/8", "Zm9v\n", "Zm 9", "Zm9vY", "é"])
    func oneValueHasOneTextInTheURLSafeAlphabet(text: String) {
        #expect(Base64.decodeURL(text.utf8) == nil)
    }
}
