extension JSONReader {
    /// A string without escapes is copied once. A string with escapes is collected in a buffer.
    mutating func string() throws(Diagnostic) -> String {
        offset += 1
        let start = offset
        while offset < count {
            let byte = unsafe base[offset]
            if byte == UInt8(ascii: "\"") {
                let result = text(from: start, to: offset)
                offset += 1
                return result
            }
            if byte == UInt8(ascii: "\\") {
                return try escapedString(from: start)
            }
            guard byte >= 0x20 else { throw failure("unescaped control character in a string") }
            if byte & 0xC0 == 0x80 { continuationBytes += 1 }
            offset += 1
        }
        throw failure("unterminated string")
    }

    private mutating func escapedString(from start: Int) throws(Diagnostic) -> String {
        var buffer = unsafe [UInt8](UnsafeBufferPointer(start: base + start, count: offset - start))
        while offset < count {
            let byte = unsafe base[offset]
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return String(decoding: buffer, as: UTF8.self)
            case UInt8(ascii: "\\"):
                try escape(into: &buffer)
            default:
                let plain = offset
                while offset < count {
                    let next = unsafe base[offset]
                    if next == UInt8(ascii: "\"") || next == UInt8(ascii: "\\") { break }
                    guard next >= 0x20 else {
                        throw failure("unescaped control character in a string")
                    }
                    if next & 0xC0 == 0x80 { continuationBytes += 1 }
                    offset += 1
                }
                unsafe buffer.append(
                    contentsOf: UnsafeBufferPointer(start: base + plain, count: offset - plain))
            }
        }
        throw failure("unterminated string")
    }

    private mutating func escape(into buffer: inout [UInt8]) throws(Diagnostic) {
        guard offset + 1 < count else { throw failure("unterminated string") }
        let byte = unsafe base[offset + 1]
        let plain: UInt8
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): plain = byte
        case UInt8(ascii: "b"): plain = 0x08
        case UInt8(ascii: "f"): plain = 0x0C
        case UInt8(ascii: "n"): plain = 0x0A
        case UInt8(ascii: "r"): plain = 0x0D
        case UInt8(ascii: "t"): plain = 0x09
        case UInt8(ascii: "u"):
            let scalar = try unicodeEscape()
            buffer.append(contentsOf: Array(String(Character(scalar)).utf8))
            return
        default:
            throw failure("unknown escape sequence in a string")
        }
        offset += 2
        buffer.append(plain)
    }

    /// `\uXXXX`, or two that form a surrogate pair (RFC 8259, section 7).
    private mutating func unicodeEscape() throws(Diagnostic) -> Unicode.Scalar {
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) {
            offset += 6
            return scalar
        }
        guard first < 0xDC00, offset + 7 < count, unsafe base[offset + 6] == UInt8(ascii: "\\"),
            unsafe base[offset + 7] == UInt8(ascii: "u")
        else { throw failure("unpaired surrogate") }
        let start = offset
        offset += 6
        let second = try codeUnit()
        let high = UInt32(first & 0x3FF) << 10
        guard second >= 0xDC00, second <= 0xDFFF,
            let scalar = Unicode.Scalar(0x10000 + high + UInt32(second & 0x3FF))
        else {
            offset = start
            throw failure("unpaired surrogate")
        }
        offset += 6
        return scalar
    }

    /// The four hexadecimal digits of the escape at `offset`.
    private func codeUnit() throws(Diagnostic) -> UInt16 {
        guard offset + 6 <= count else { throw failure("unterminated string") }
        var unit: UInt16 = 0
        for index in 2..<6 {
            let byte = unsafe base[offset + index]
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: throw failure("expected four hexadecimal digits after \\u")
            }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }
}
