/// Base64 with the two alphabets of RFC 4648. Decoding is strict: each value has exactly one text.
package enum Base64 {
    private static let standard = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let urlSafe = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let padding = UInt8(ascii: "=")

    /// Encodes with the standard alphabet and padding (RFC 4648 §4), as in HTTP Basic and PEM.
    package static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text = characters(Array(bytes), standard)
        while text.count % 4 != 0 { text.append(padding) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Encodes with the URL-safe alphabet, without padding (RFC 7515 §2).
    package static func encodeURL(_ bytes: some Collection<UInt8>) -> String {
        String(decoding: characters(Array(bytes), urlSafe), as: UTF8.self)
    }

    /// Decodes the standard alphabet with padding (RFC 4648 §4); `nil` if the text is not in canonical form.
    package static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        var characters = Array(text)
        var padded = 0
        while padded < 2, characters.last == padding {
            characters.removeLast()
            padded += 1
        }
        return bytes(characters, UInt8(ascii: "+"), UInt8(ascii: "/"))
    }

    /// Decodes the URL-safe alphabet without padding (RFC 7515 §2); `nil` for other characters, an impossible length,
    /// or non-zero trailing bits.
    package static func decodeURL(_ text: some Collection<UInt8>) -> [UInt8]? {
        bytes(Array(text), UInt8(ascii: "-"), UInt8(ascii: "_"))
    }

    // Arrays: for another module a generic function is not specialized, and takes many times as long for each byte.

    private static func characters(_ bytes: [UInt8], _ alphabet: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var buffer: UInt32 = 0
        var bits: UInt32 = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[Int(buffer >> bits & 63)])
            }
        }
        if bits > 0 { text.append(alphabet[Int(buffer << (6 - bits) & 63)]) }
        return text
    }

    private static func bytes(
        _ text: [UInt8], _ sixtyTwo: UInt8, _ sixtyThree: UInt8
    ) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var buffer: UInt32 = 0
        var bits: UInt32 = 0
        for character in text {
            let value: UInt8
            switch character {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = character - UInt8(ascii: "A")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = character - UInt8(ascii: "a") + 26
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = character - UInt8(ascii: "0") + 52
            case sixtyTwo: value = 62
            case sixtyThree: value = 63
            default: return nil
            }
            buffer = buffer << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> bits))
                buffer &= (1 << bits) - 1
            }
        }
        return buffer == 0 ? bytes : nil
    }
}
