/// Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF (RFC 3629).
enum UTF8Check {
    /// The place of the first byte that is not UTF-8, or nil.
    static func firstInvalid(_ bytes: [UInt8], file: UInt32 = 0) -> SourcePosition? {
        let invalid = unsafe bytes.withUnsafeBufferPointer { buffer -> Int? in
            guard let base = buffer.baseAddress else { return nil }
            return unsafe firstInvalidOffset(base, buffer.count)
        }
        guard let invalid else { return nil }
        var line = 1
        var column = 1
        for byte in bytes[..<invalid] {
            if byte == 0x0A {
                line += 1
                column = 1
            } else if byte & 0xC0 != 0x80 {
                column += 1
            }
        }
        return SourcePosition(line: line, column: column, file: file)
    }

    // Why a raw pointer: its subscript is inlined even in debug builds, where the tool must be fast too.
    private static func firstInvalidOffset(_ base: UnsafePointer<UInt8>, _ count: Int) -> Int? {
        var offset = 0
        while offset < count {
            let lead = unsafe base[offset]
            if lead < 0x80 {
                offset += 1
                continue
            }
            let length: Int
            var low: UInt8 = 0x80
            var high: UInt8 = 0xBF
            switch lead {
            case 0xC2...0xDF: length = 2
            case 0xE0: (length, low) = (3, 0xA0)
            case 0xED: (length, high) = (3, 0x9F)
            case 0xE1...0xEF: length = 3
            case 0xF0: (length, low) = (4, 0x90)
            case 0xF4: (length, high) = (4, 0x8F)
            case 0xF1...0xF3: length = 4
            default: return offset
            }
            guard offset + length <= count else { return offset }
            let second = unsafe base[offset + 1]
            guard second >= low, second <= high else { return offset }
            for index in 2..<max(length, 2) where unsafe base[offset + index] & 0xC0 != 0x80 { return offset }
            offset += length
        }
        return nil
    }
}
