extension Duration {
    /// The duration for error messages: `500 ms`, `1.5 s`, `10 s`, `2 min`, `1 h`. Rounded toward zero to thousandths
    /// of the unit. Minutes and hours are used only for whole numbers, from 2 min.
    package var text: String {
        let (seconds, attoseconds) = bounded.components
        if seconds == 0 { return Self.decimal(attoseconds / 1_000_000_000_000, unit: "ms") }
        if attoseconds == 0, seconds.magnitude >= 120, seconds % 60 == 0 {
            return seconds % 3600 == 0 ? "\(seconds / 3600) h" : "\(seconds / 60) min"
        }
        return Self.decimal(wholeMilliseconds, unit: "s")
    }

    /// A number in thousandths of a unit, without trailing zeros.
    private static func decimal(_ thousandths: Int64, unit: String) -> String {
        let (whole, rest) = (thousandths.magnitude / 1000, thousandths.magnitude % 1000)
        var text = "\(thousandths < 0 ? "-" : "")\(whole)"
        if rest > 0 {
            var digits = String("\(1000 + rest)".dropFirst())
            while digits.last == "0" { digits.removeLast() }
            text += "." + digits
        }
        return text + " " + unit
    }
}
