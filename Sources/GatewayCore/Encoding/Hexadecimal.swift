extension UInt8 {
    /// Whether the byte is an ASCII letter or digit.
    @inlinable
    package var isAlphanumeric: Bool { self &- 0x30 < 10 || (self | 0x20) &- 0x61 < 26 }

    /// The value of a hexadecimal digit in ASCII; `nil` for other bytes.
    @inlinable
    package var hexadecimalValue: UInt8? {
        if self &- 0x30 < 10 { return self &- 0x30 }
        let letter = (self | 0x20) &- 0x61
        return letter < 6 ? letter + 10 : nil
    }
}

extension UInt64 {
    /// 16 hexadecimal digits in lower case.
    package var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}

extension [UInt8] {
    /// Appends 16 hexadecimal digits in lower case.
    mutating func append(hexadecimal value: UInt64) {
        for shift in stride(from: UInt64(60), through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: value >> shift) & 15
            append(digit < 10 ? 0x30 + digit : 0x57 + digit)
        }
    }

    /// Two hexadecimal digits in lower case for each byte.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
