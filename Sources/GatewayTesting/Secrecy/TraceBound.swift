/// Limits a trace by counting values with the same form: the text without its digits.
///
/// Why by form: a load test logs the same events thousands of times with different numbers. A text that contains a
/// secret for the first time differs from all others in letters, so it is within the limit at any time.
package struct TraceBound {
    /// The maximum number of values of each form to write.
    package static let limit = 100

    private var counts: [Int: Int] = [:]

    /// Creates a limit without counted values.
    package init() {}

    /// The number of values beyond the limit.
    package var leftOut: Int { counts.values.reduce(0) { $0 + max(0, $1 - Self.limit) } }

    /// Counts a value by its text, and returns the number of values of its form so far.
    package mutating func count(_ text: String) -> Int {
        var form = Hasher()
        for byte in text.utf8 where byte < UInt8(ascii: "0") || byte > UInt8(ascii: "9") {
            form.combine(byte)
        }
        let key = form.finalize()
        counts[key, default: 0] += 1
        return counts[key] ?? 0
    }
}
