/// Reads numbers with a fixed number of digits, as in dates.
struct DigitReader {
    private let bytes: ArraySlice<UInt8>
    private var position: Int

    init(_ text: String) { self.init(Array(text.utf8)[...]) }

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        position = bytes.startIndex
    }

    var isAtEnd: Bool { position == bytes.endIndex }

    var next: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

    mutating func number(_ width: Int) -> Int? {
        guard position + width <= bytes.endIndex else { return nil }
        var value = 0
        for index in position..<position + width {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + Int(digit)
        }
        position += width
        return value
    }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
        guard let next, UInt32(next) == character.value else { return false }
        position += 1
        return true
    }

    /// Reads one or more digits as a decimal fraction from 0 to less than 1. Only the first 15 digits are used.
    mutating func fraction() -> Double? {
        var value = 0.0
        var scale = 1.0
        let start = position
        while let next, next &- UInt8(ascii: "0") < 10 {
            if position - start < 15 {
                value = value * 10 + Double(next &- UInt8(ascii: "0"))
                scale *= 10
            }
            position += 1
        }
        return position > start ? value / scale : nil
    }
}
