extension Double {
    /// The number in decimal notation, with a fixed count of fraction digits: "0.50".
    func fixed(_ digits: Int) -> String {
        var scale = 1.0
        for _ in 0..<digits { scale *= 10 }
        let scaled = (abs(self) * scale).rounded()
        // Where numbers have no fractions any more, and for those that are none.
        guard scaled < 9e15 else { return "\(self)" }
        let text = String(Int(scaled))
        let padded = String(repeating: "0", count: max(0, digits + 1 - text.count)) + text
        let sign = self < 0 && scaled > 0 ? "-" : ""
        return sign + (digits == 0 ? padded : "\(padded.dropLast(digits)).\(padded.suffix(digits))")
    }
}
