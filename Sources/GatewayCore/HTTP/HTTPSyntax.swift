/// Syntax rules for bytes of HTTP messages and URIs that several modules check.
package enum HTTPSyntax {
    /// The `tchar`s of RFC 9110 §5.6.2, one bit for each ASCII code.
    private static let tokenCharacters: (UInt64, UInt64) = mask("!#$%&'*+-.^_`|~", alphanumerics: true)

    private static func mask(_ extra: StaticString, alphanumerics: Bool) -> (UInt64, UInt64) {
        var low: UInt64 = 0
        var high: UInt64 = 0
        func insert(_ byte: UInt8) {
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
        }
        for byte in extra.description.utf8 { insert(byte) }
        if alphanumerics {
            for byte in UInt8(ascii: "0")...UInt8(ascii: "9") { insert(byte) }
            for byte in UInt8(ascii: "a")...UInt8(ascii: "z") { insert(byte) }
            for byte in UInt8(ascii: "A")...UInt8(ascii: "Z") { insert(byte) }
        }
        return (low, high)
    }

    /// Whether the bytes are a token (RFC 9110 §5.6.2): not empty, only `tchar`s.
    package static func isToken(_ bytes: String.UTF8View) -> Bool {
        guard !bytes.isEmpty else { return false }
        let (low, high) = tokenCharacters
        for byte in bytes {
            guard byte < 128 else { return false }
            let bit = byte < 64 ? low >> UInt64(byte) : high >> UInt64(byte - 64)
            guard bit & 1 == 1 else { return false }
        }
        return true
    }

    /// Whether the bytes are allowed in a field value: no control character except HTAB (RFC 9110 §5.5).
    package static func isFieldValue(_ bytes: String.UTF8View) -> Bool {
        // Values are long, and every request is checked. So eight bytes are checked at a time, and individually only if
        // one of them may be invalid.
        let isClean: Bool? = unsafe bytes.withContiguousStorageIfAvailable { buffer in
            let raw = UnsafeRawBufferPointer(buffer)
            var index = 0
            while index + 8 <= raw.count {
                let word = unsafe raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if mayHoldStray(word), unsafe raw[index..<(index + 8)].contains(where: isStray) {
                    return false
                }
                index += 8
            }
            return unsafe !raw[index...].contains(where: isStray)
        }
        return isClean ?? !bytes.contains(where: isStray)
    }

    /// Whether one of eight bytes is below 0x20, 0x7F, or not ASCII. This is the high bit of `byte - 0x20` and of `byte
    /// + 1`.
    @inline(__always)
    private static func mayHoldStray(_ word: UInt64) -> Bool {
        let high: UInt64 = 0x8080_8080_8080_8080
        let below = (word | high) &- 0x2020_2020_2020_2020
        let above = (word & ~high) &+ 0x0101_0101_0101_0101
        return (word | ~below | above) & high != 0
    }

    /// Whether a byte is a control character that is not allowed in field values and reason phrases: all except HTAB
    /// (RFC 9110 §5.5).
    @inline(__always)
    package static func isStray(_ byte: UInt8) -> Bool { byte < 0x20 && byte != 0x09 || byte == 0x7F }

    /// Whether the bytes are a request target in origin form: a leading slash, then visible ASCII except `#` (RFC 9112
    /// §3.2.1).
    package static func isOriginFormTarget(_ bytes: String.UTF8View) -> Bool {
        guard bytes.first == UInt8(ascii: "/") else { return false }
        for byte in bytes where byte <= 0x20 || byte >= 0x7F || byte == UInt8(ascii: "#") { return false }
        return true
    }

    /// The ASCII lower case of a byte.
    @inline(__always)
    package static func lowercase(_ byte: UInt8) -> UInt8 {
        byte &- 0x41 < 26 ? byte | 0x20 : byte
    }

    /// Whether two strings are equal, ignoring ASCII case.
    package static func equalIgnoringCase(_ a: String, _ b: String) -> Bool {
        guard a.utf8.count == b.utf8.count else { return false }
        // Spans, since the iterators of views take about 80 instructions for a byte.
        let x = a.utf8Span.span
        let y = b.utf8Span.span
        for index in x.indices where lowercase(x[index]) != lowercase(y[index]) { return false }
        return true
    }
}
