/// The short ASCII text of a date or an identifier, made without one string for each of its parts.
struct TextBytes {
    private(set) var bytes: [UInt8] = []

    /// - Parameter capacity: how many bytes there will be at most.
    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    mutating func append(_ character: Unicode.Scalar) { bytes.append(UInt8(ascii: character)) }

    /// A number from 0 in digits, no fewer than the width.
    mutating func append(_ value: Int, width: Int) {
        var scale = 1
        for _ in 1..<width { scale *= 10 }
        while value / scale >= 10 { scale *= 10 }
        while scale > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value / scale % 10))
            scale /= 10
        }
    }

    /// Two bytes as hexadecimal digits, in lower case.
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
