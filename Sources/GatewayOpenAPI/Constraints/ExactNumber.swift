internal import GatewayJSON

/// A decimal number of up to 18 digits, for comparison without rounding. Longer numbers are compared as `Double`.
struct ExactNumber {
    private let text: String
    /// The digits without the decimal point, and the power of ten to multiply them by.
    private let parts: (digits: Int64, power: Int)?

    /// Reads a JSON number.
    init(_ text: String) {
        self.text = text
        parts = DecimalParts(text).flatMap { number in
            guard (-9_999...9_999).contains(number.power),
                let digits = Int64("0" + String(decoding: number.digits, as: UTF8.self))
            else { return nil }
            return (number.isNegative ? -digits : digits, number.power)
        }
    }

    private var double: Double { Double(text) ?? .nan }

    /// Both numbers as integers with the same power of ten; `nil` if they do not fit.
    private static func aligned(_ left: ExactNumber, _ right: ExactNumber) -> (Int64, Int64)? {
        guard let left = left.parts, let right = right.parts else { return nil }
        let power = min(left.power, right.power)
        guard let first = scaled(left.digits, by: left.power - power),
            let second = scaled(right.digits, by: right.power - power)
        else { return nil }
        return (first, second)
    }

    private static func scaled(_ digits: Int64, by power: Int) -> Int64? {
        guard power <= 18 else { return nil }
        var result = digits
        for _ in 0..<power {
            let (next, isOver) = result.multipliedReportingOverflow(by: 10)
            if isOver { return nil }
            result = next
        }
        return result
    }

    static func < (left: ExactNumber, right: ExactNumber) -> Bool {
        guard let (first, second) = aligned(left, right) else { return left.double < right.double }
        return first < second
    }

    static func == (left: ExactNumber, right: ExactNumber) -> Bool {
        guard let (first, second) = aligned(left, right) else { return left.double == right.double }
        return first == second
    }

    /// Whether the number is an integer multiple of another. Numbers with too many digits are accepted.
    func isMultiple(of other: ExactNumber) -> Bool {
        guard let (own, other) = Self.aligned(self, other), other != 0 else { return true }
        return own.magnitude % other.magnitude == 0
    }
}
