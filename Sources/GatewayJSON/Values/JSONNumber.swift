/// A JSON number, digit for digit as it was written: nothing is lost before someone asks for a type.
///
/// Two numbers are equal when their texts are: `1` is not `1.0`.
public struct JSONNumber: Hashable, Sendable, CustomStringConvertible {
    /// The number's text, valid JSON; `inf` or `nan` where it was made from such a value, which cannot be written.
    public let text: String

    init(text: String) { self.text = text }

    /// Whether it can be written: a literal may be NaN or infinite, and its text ends in no digit then.
    package var isFinite: Bool { text.utf8.last.map { $0 &- UInt8(ascii: "0") < 10 } ?? false }

    /// A number from its text; nil when it is not a JSON number (RFC 8259, section 6).
    public init?(_ text: String) {
        guard let document = try? JSONDocument(Array(text.utf8)),
            let number = try? document.root.number(), number.text.utf8.count == text.utf8.count
        else { return nil }
        self = number
    }

    /// An integer.
    public init(_ value: some FixedWidthInteger) { text = String(value) }

    /// The shortest text that reads back as the same number. One that is not finite cannot be written.
    public init(_ value: Double) { text = value.description }

    /// The text.
    public var description: String { text }

    /// The nearest floating-point number; infinite when the number is too large.
    public var double: Double { Self.double(Array(text.utf8)[...]) ?? Double(text) ?? .nan }

    /// The number as an integer, exactly; nil when it is none or does not fit. `1.0` and `1e3` are integers.
    public func integer<Value: FixedWidthInteger>(_ type: Value.Type = Value.self) -> Value? {
        let bytes = Array(text.utf8)
        if let value = Self.integer(bytes[...], type) { return value }
        guard let parts = DecimalParts(text), 0...40 ~= parts.power else { return nil }
        let zero = UInt8(ascii: "0")
        let sign = parts.isNegative ? [UInt8(ascii: "-")] : []
        let digits = sign + [zero] + parts.digits + repeatElement(zero, count: parts.power)
        return Self.integer(digits[...], type)
    }

    /// An integer from the digits of one, without allocation; nil when it is none or does not fit.
    static func integer<Value: FixedWidthInteger>(_ bytes: ArraySlice<UInt8>, _: Value.Type) -> Value? {
        var value: Value = 0
        let isNegative = bytes.first == UInt8(ascii: "-")
        let digits = isNegative ? bytes.dropFirst() : bytes
        guard !digits.isEmpty else { return nil }
        for byte in digits {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            let (scaled, overflow) = value.multipliedReportingOverflow(by: 10)
            let (next, overflow2) =
                isNegative
                ? scaled.subtractingReportingOverflow(Value(digit))
                : scaled.addingReportingOverflow(Value(digit))
            if overflow || overflow2 { return nil }
            value = next
        }
        return value
    }

    /// The nearest floating-point number, where one multiplication or division of exact values gives it; nil for
    /// numbers of many digits or large powers. The bytes are a JSON number.
    static func double(_ bytes: ArraySlice<UInt8>) -> Double? {
        var digits: UInt64 = 0
        var count = 0
        var power = 0
        var isFraction = false
        var position = bytes.startIndex
        let isNegative = bytes.first == UInt8(ascii: "-")
        if isNegative { position += 1 }
        while position < bytes.endIndex {
            let digit = bytes[position] &- UInt8(ascii: "0")
            if digit < 10 {
                digits = digits &* 10 &+ UInt64(digit)
                count += 1
                if isFraction { power -= 1 }
            } else if bytes[position] == UInt8(ascii: ".") {
                isFraction = true
            } else {
                break
            }
            position += 1
        }
        guard count <= 18 else { return nil }
        if position < bytes.endIndex {
            let exponent = bytes[(position + 1)...].drop { $0 == UInt8(ascii: "+") }
            guard let exponent = integer(exponent, Int.self), (-100...100).contains(exponent) else {
                return nil
            }
            power += exponent
        }
        // Both operands are exact, so that IEEE 754 rounds once.
        guard digits <= 1 << 53, abs(power) < exactPowers.count else { return nil }
        let value =
            power < 0 ? Double(digits) / exactPowers[-power] : Double(digits) * exactPowers[power]
        return isNegative ? -value : value
    }

    /// The powers of ten that a `Double` holds exactly.
    private static let exactPowers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
        1e19, 1e20, 1e21, 1e22,
    ]
}

extension JSONNumber: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral {
    /// An integer.
    public init(integerLiteral value: Int) { self.init(value) }
    /// The shortest text that reads back as the same number.
    public init(floatLiteral value: Double) { self.init(value) }
}
