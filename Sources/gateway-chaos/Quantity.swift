import CommandArguments

/// Numbers with units, as a command line has them.
enum Quantity {
    /// A time such as `200ms`, `1.5s` or `0`; at most an hour.
    static func nanoseconds(_ text: Substring, _ key: Substring) throws(UsageError) -> UInt64 {
        let units: [(String, Double)] = [("ms", 1e6), ("us", 1e3), ("s", 1e9)]
        let unit = units.first { text.hasSuffix($0.0) }
        let digits = text.dropLast(unit?.0.count ?? 0)
        guard let number = Double(digits), number >= 0, number * (unit?.1 ?? 1) <= 3.6e12,
            unit != nil || number == 0
        else { throw UsageError("'\(key)' must be a time from 0 to 3600s, such as 200ms or 1.5s") }
        return UInt64(number * (unit?.1 ?? 1))
    }

    /// The shortest text that ``nanoseconds(_:_:)`` reads back.
    static func text(nanoseconds: UInt64) -> String {
        nanoseconds % 1_000_000 == 0 ? "\(nanoseconds / 1_000_000)ms" : "\(nanoseconds / 1000)us"
    }

    /// Bytes such as `100`, `64k` or `1M`; `nil` for `off`.
    static func bytes(_ text: Substring, _ key: Substring) throws(UsageError) -> UInt64? {
        if text == "off" { return nil }
        let factor: UInt64 = text.hasSuffix("k") ? 1000 : text.hasSuffix("M") ? 1_000_000 : 1
        guard let number = UInt64(factor == 1 ? text : text.dropLast()), (1...1_000_000_000).contains(number)
        else { throw UsageError("'\(key)' must be off or a number of bytes from 1, such as 4096, 64k or 1M") }
        return number * factor
    }

    /// A probability.
    static func probability(
        _ text: Substring, _ key: Substring, _ range: ClosedRange<Double>
    ) throws(UsageError) -> Double {
        guard let number = Double(text), range.contains(number) else {
            throw UsageError("'\(key)' must be a probability from 0 to \(range.upperBound)")
        }
        return number
    }
}
