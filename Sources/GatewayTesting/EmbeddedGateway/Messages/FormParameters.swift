/// Decodes `application/x-www-form-urlencoded` (WHATWG URL §5.1; RFC 6749 appendix B).
enum FormParameters {
    /// Decodes names and values in order. An invalid percent-escape is kept unchanged; bytes that are not UTF-8 become
    /// replacement characters.
    static func decode(_ bytes: some Sequence<UInt8>) -> [(name: String, value: String)] {
        bytes.split(separator: UInt8(ascii: "&")).map { pair in
            let mark = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            return (text(pair[..<mark]), text(pair[mark...].dropFirst()))
        }
    }

    /// Decodes one name or value.
    static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: percentDecoded(bytes, plusIsSpace: true), as: UTF8.self)
    }

    /// Replaces `%XX` (RFC 3986 §2.1), and in forms `+` by a space.
    static func percentDecoded(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool) -> [UInt8] {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            if byte == UInt8(ascii: "%"), index + 2 < bytes.endIndex,
                let high = hexadecimal(bytes[index + 1]), let low = hexadecimal(bytes[index + 2])
            {
                decoded.append(high << 4 | low)
                index += 3
            } else {
                decoded.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
                index += 1
            }
        }
        return decoded
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
