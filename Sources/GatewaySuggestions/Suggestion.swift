/// The known word that was perhaps meant by one that is not known.
package enum Suggestion {
    /// `; did you mean "word"?`, or an empty string if no known word is close.
    package static func text(_ word: String, of known: [String]) -> String {
        nearest(to: word, of: known) { max(2, $0.utf8.count / 3) }.map { "; did you mean \"\($0)\"?" } ?? ""
    }

    /// The closest known word; `nil` if none is close.
    ///
    /// - Parameter limit: The largest distance of a word that counts as close.
    package static func nearest(
        to word: String, of known: [String], limit: (String) -> Int
    ) -> String? {
        let nearest = known.map { (word: $0, distance: distance(word, $0)) }.min { $0.distance < $1.distance }
        guard let nearest, nearest.distance <= limit(nearest.word) else { return nil }
        return nearest.word
    }

    /// Levenshtein's distance.
    private static func distance(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first.utf8), Array(second.utf8))
        var row = Array(0...second.count)
        for (i, a) in first.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, b) in second.enumerated() {
                let above = row[j + 1]
                row[j + 1] = min(above + 1, row[j] + 1, diagonal + (a == b ? 0 : 1))
                diagonal = above
            }
        }
        return row[second.count]
    }
}
