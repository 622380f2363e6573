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

extension UnsafeMutableBufferPointer<UInt8> {
    /// Writes the last digits of a number, hexadecimal and in lower case.
    func write(hexadecimal value: UInt64, from start: Int, to end: Int) {
        var (position, rest) = (end, value)
        while position > start {
            position -= 1
            let digit = UInt8(truncatingIfNeeded: rest & 15)
            unsafe self[position] = digit < 10 ? 0x30 + digit : 0x57 + digit
            rest >>= 4
        }
    }
}

extension [UInt8] {
    /// Two hexadecimal digits in lower case for each byte.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
