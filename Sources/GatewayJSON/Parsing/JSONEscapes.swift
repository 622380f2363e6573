/// The escapes inside strings (RFC 8259, section 7).
enum JSONEscapes {
    /// The code unit of the `\uXXXX` at a position; nil when there is none.
    static func unit(in bytes: [UInt8], at position: Int) -> UInt16? {
        guard position + 6 <= bytes.count else { return nil }
        return unit(in: bytes[...], at: position)
    }

    /// The bytes that a string's content stands for. The parser has checked every escape.
    static func resolved(_ content: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(content.count)
        var position = content.startIndex
        while position < content.endIndex {
            let byte = content[position]
            guard byte == UInt8(ascii: "\\"), position + 1 < content.endIndex else {
                result.append(byte)
                position += 1
                continue
            }
            if let unit = unit(in: content, at: position) {
                position += 6
                if unit & 0xFC00 == 0xD800, let low = self.unit(in: content, at: position),
                    low & 0xFC00 == 0xDC00
                {
                    position += 6
                    let scalar = 0x10000 + (UInt32(unit & 0x3FF) << 10) + UInt32(low & 0x3FF)
                    append(Unicode.Scalar(scalar), to: &result)
                } else {
                    append(Unicode.Scalar(unit), to: &result)
                }
            } else {
                result.append(single(content[position + 1]))
                position += 2
            }
        }
        return result
    }

    private static func unit(in bytes: ArraySlice<UInt8>, at position: Int) -> UInt16? {
        guard position + 6 <= bytes.endIndex, bytes[position] == UInt8(ascii: "\\"),
            bytes[position + 1] == UInt8(ascii: "u")
        else { return nil }
        var unit: UInt16 = 0
        for index in position + 2..<position + 6 {
            let digit: UInt8
            switch bytes[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = bytes[index] - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = bytes[index] - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = bytes[index] - UInt8(ascii: "A") + 10
            default: return nil
            }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    private static func append(_ scalar: Unicode.Scalar?, to bytes: inout [UInt8]) {
        bytes.append(contentsOf: UTF8.encode(scalar ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter)
    }

    private static func single(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: byte
        }
    }
}
