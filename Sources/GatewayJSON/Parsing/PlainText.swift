/// The bytes of a string that stand for themselves: ASCII but control characters, quotation marks and backslashes.
enum PlainText {
    /// The first position from a given one whose byte is no such byte; the end where there is none.
    static func end(in bytes: [UInt8], from start: Int) -> Int {
        // Eight bytes at a time, inside of the array.
        unsafe bytes.withUnsafeBytes { buffer in
            var position = start
            while position + 8 <= buffer.count {
                let word = UInt64(
                    littleEndian: unsafe buffer.loadUnaligned(fromByteOffset: position, as: UInt64.self))
                let others = self.others(in: word)
                if others != 0 { return position + others.trailingZeroBitCount / 8 }
                position += 8
            }
            while position < buffer.count, unsafe isPlain(buffer[position]) { position += 1 }
            return position
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x80 && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }

    /// The highest bit of the lowest byte that is not plain. Bits above it mean nothing: subtractions borrow.
    private static func others(in word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        let quotationMarks = word ^ ones &* 0x22
        let backslashes = word ^ ones &* 0x5C
        let controls = (word &- ones &* 0x20) & ~word
        return
            (controls | (quotationMarks &- ones) & ~quotationMarks | (backslashes &- ones) & ~backslashes
            | word) & highs
    }
}
