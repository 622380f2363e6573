/// A regular expression of a document (`pattern`, or a name in `patternProperties`), matched in bounded time.
///
/// Why not `Regex`: it backtracks, and a pattern such as `^([0-9a-f]+)+!$` would run for years. Here the work is at most
/// proportional to the length of the text times the size of the pattern.
///
/// The syntax is that of ECMA-262 with Unicode code points. Not supported are references to groups (`\1`), lookbehind,
/// flags, properties other than general categories, and patterns of more than 10,000 steps.
package struct TextPattern: Sendable {
    /// A step of the pattern. Steps lead to steps of lower offsets, except those that repeat.
    enum Step: Sendable {
        case accept
        case set(ScalarSet, Int)
        case either(Int, Int)
        case start(Int), end(Int)
        /// Between a word character and another one.
        case boundary(isWanted: Bool, Int)
        /// Whether a part matches from here on.
        case lookahead(Int, isWanted: Bool, Int)
    }

    /// Maximum number of steps.
    static let size = 10_000
    /// The work for one call that is not noticeable.
    package static let work = 50_000_000

    private let steps: [Step]
    private let first: Int
    /// The steps of each lookahead, inner ones first, and all steps.
    private let blocks: [Range<Int>]
    private let repeats: Bool

    /// Nil if the pattern is not supported.
    package init?(_ pattern: String) {
        guard let part = PatternParser.parse(pattern) else { return nil }
        var compiler = PatternCompiler()
        guard let first = compiler.add(part) else { return nil }
        self.first = first
        steps = compiler.steps
        blocks = compiler.lookaheads + [0..<compiler.steps.count]
        repeats = compiler.repeats
    }

    /// The work for matching a text, in steps.
    package func work(for text: String) -> Int {
        let each = blocks.reduce(0) { $0 + $1.count } * (repeats ? 3 : 1)
        let (work, isOver) = each.multipliedReportingOverflow(by: text.utf8.count + 1)
        return isOver ? .max : work
    }

    /// Whether any part of a text matches (JSON Schema 2020-12, Validation, section 6.3.3).
    ///
    /// - Parameter work: The work that is left, in steps. Nothing is matched with less than the text needs.
    /// - Returns: Nil if not enough is left.
    package func matches(_ text: String, work: inout Int) -> Bool? {
        let needed = self.work(for: text)
        guard needed <= work else { return nil }
        work -= needed
        return matches(Array(text.unicodeScalars))
    }

    /// From the end to the start: the steps from which the rest of the text is accepted follow from those of the next
    /// place.
    private func matches(_ text: [Unicode.Scalar]) -> Bool {
        var accepted = [Bool](repeating: false, count: steps.count)
        var next = accepted
        for place in stride(from: text.count, through: 0, by: -1) {
            swap(&accepted, &next)
            for index in accepted.indices { accepted[index] = false }
            for block in blocks {
                var hasChanged: Bool
                repeat {
                    hasChanged = false
                    for index in block where !accepted[index] && accepts(index, text, place, accepted, next) {
                        accepted[index] = true
                        hasChanged = true
                    }
                } while repeats && hasChanged
            }
            if accepted[first] { return true }
        }
        return false
    }

    private func accepts(
        _ index: Int, _ text: [Unicode.Scalar], _ place: Int, _ accepted: [Bool], _ next: [Bool]
    ) -> Bool {
        switch steps[index] {
        case .accept: true
        case .set(let set, let target): place < text.count && next[target] && set.contains(text[place])
        case .either(let one, let other): accepted[one] || accepted[other]
        case .start(let target): place == 0 && accepted[target]
        case .end(let target): place == text.count && accepted[target]
        case .boundary(let isWanted, let target):
            accepted[target] && Self.isBoundary(text, place) == isWanted
        case .lookahead(let inner, let isWanted, let target):
            accepted[target] && accepted[inner] == isWanted
        }
    }

    private static func isBoundary(_ text: [Unicode.Scalar], _ place: Int) -> Bool {
        let before = place > 0 && ScalarSet.word.contains(text[place - 1])
        let after = place < text.count && ScalarSet.word.contains(text[place])
        return before != after
    }
}
