/// Times as people write them: `500ms`, `10s`, `1.5m`, `2h`; a number alone counts seconds.
package enum DurationText {
    private static let units: [(suffix: String, milliseconds: Double)] = [
        ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("", 1000),
    ]

    /// A time of at least a millisecond and up to a day; `nil` for anything else.
    package static func parse(_ text: String) -> Duration? {
        for unit in units where text.hasSuffix(unit.suffix) {
            let number = text.dropLast(unit.suffix.utf8.count)
            guard number.utf8.first.map(isDigit) == true, number.utf8.last.map(isDigit) == true,
                number.utf8.allSatisfy({ isDigit($0) || $0 == UInt8(ascii: ".") }), let value = Double(number)
            else { return nil }
            let milliseconds = value * unit.milliseconds
            guard milliseconds >= 1, milliseconds <= 86_400_000 else { return nil }
            return .milliseconds(Int64(milliseconds.rounded()))
        }
        return nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }
}
