/// Builds the short ASCII text of a date or an identifier without a string for each part.
struct TextBytes {
    private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: the maximum number of bytes.
    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    mutating func append(_ character: Unicode.Scalar) { bytes.append(UInt8(ascii: character)) }

    /// Appends a non-negative number, padded with zeros to at least `width` digits.
    mutating func append(_ value: Int, width: Int) {
        var scale = 1
        for _ in 1..<width { scale *= 10 }
        while value / scale >= 10 { scale *= 10 }
        while scale > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / scale % 10))
            scale /= 10
        }
    }

    /// Appends two bytes as lower-case hexadecimal digits.
    mutating func append(hexadecimal first: UInt8, _ second: UInt8) {
        append(digit: first >> 4)
        append(digit: first & 15)
        append(digit: second >> 4)
        append(digit: second & 15)
    }

    private mutating func append(digit: UInt8) {
        bytes.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
    }
}
