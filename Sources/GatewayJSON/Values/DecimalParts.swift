/// A JSON number as its digits and a power of ten: `-12.50e3` is -125 times 10 to the power of 2.
package struct DecimalParts {
    /// Whether the number has a minus sign.
    package private(set) var isNegative = false
    /// The digits in ASCII, without zeros at both ends; empty for zero.
    package private(set) var digits: [UInt8] = []
    /// The power of ten that the digits, as an integer, are multiplied by; 0 for zero.
    package private(set) var power = 0

    /// Reads a JSON number; `nil` if the power does not fit `Int`.
    package init?(_ text: String) {
        let mantissa = text.utf8.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        var isFraction = false
        for byte in mantissa {
            switch byte {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): isFraction = true
            default:
                if isFraction { power -= 1 }
                if byte != UInt8(ascii: "0") || !digits.isEmpty { digits.append(byte) }
            }
        }
        while digits.last == UInt8(ascii: "0") {
            digits.removeLast()
            power += 1
        }
        guard !digits.isEmpty else {
            power = 0
            return
        }
        let exponent = text.utf8.dropFirst(mantissa.count + 1).drop { $0 == UInt8(ascii: "+") }
        guard !exponent.isEmpty else { return }
        guard let value = Int(String(decoding: exponent, as: UTF8.self)) else { return nil }
        let (sum, isOver) = power.addingReportingOverflow(value)
        if isOver { return nil }
        power = sum
    }
}
