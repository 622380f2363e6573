/// Counts the values of a trace by their form, the text without its digits, to bound what a storm writes.
///
/// Why by form: a storm logs the same events thousands of times with other numbers. A text that shows a secret for the
/// first time differs from all others in letters, so it is within the limit however late it comes.
package struct TraceBound {
    /// How many values of each form are written.
    package static let limit = 100

    private var counts: [Int: Int] = [:]

    /// Creates a bound that has counted nothing.
    package init() {}

    /// The number of values beyond the limit.
    package var leftOut: Int { counts.values.reduce(0) { $0 + max(0, $1 - Self.limit) } }

    /// Counts a value by its text, and returns how many of its form there were so far.
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
