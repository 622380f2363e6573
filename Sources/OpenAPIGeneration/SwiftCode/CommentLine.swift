/// Breaks lines of comments.
enum CommentLine {
    /// A line between words, and a word that is longer than a line anywhere, except for URLs. The lines of a list item
    /// are indented as its text.
    static func broken(_ line: String, indent: String) -> [String] {
        let slashes = line.prefix { $0 == "/" }
        var rest = line.dropFirst(slashes.count)
        var hanging = String(rest.prefix { $0 == " " })
        rest = rest.drop { $0 == " " }
        var result: [String] = []
        var current = indent + slashes + hanging
        if rest.hasPrefix("- ") { hanging += "  " }
        // A document can indent its text by any number of spaces.
        let start = indent + slashes + (hanging.utf8.count < 20 ? hanging : " ")
        let limit = Printer.limit(after: columns(start))
        var isEmpty = true
        for word in words(rest) {
            if !isEmpty, columns(current) + 1 + columns(word) > limit {
                result.append(current)
                current = start
                isEmpty = true
            }
            current += isEmpty ? word : " " + word
            isEmpty = false
            // A part of a URL would be another URL.
            while columns(current) > limit, !isURL(word) {
                let scalars = current.unicodeScalars
                result.append(String(scalars.prefix(limit)))
                current = start + String(scalars.dropFirst(limit))
            }
        }
        if !isEmpty { result.append(current) }
        return result
    }

    /// The words of a text. A word that would start a list or a heading at the start of a line stays with the previous
    /// word.
    private static func words(_ text: Substring) -> [String] {
        var result: [String] = []
        for word in text.split(separator: " ", omittingEmptySubsequences: true) {
            if let last = result.indices.last, columns(result[last]) < Printer.limit / 2, isMarker(word) {
                result[last] += " " + word
            } else {
                result.append(String(word))
            }
        }
        return result
    }

    private static func isMarker(_ word: Substring) -> Bool {
        if ["-", "*", "+", ">", "|"].contains(word) || word.allSatisfy({ $0 == "#" || $0 == "=" }) {
            return true
        }
        guard let last = word.last, last == "." || last == ")" else { return false }
        return word.count > 1 && word.dropLast().allSatisfy { $0.isNumber }
    }

    /// Whether a word is or contains a URL: `https://a.example`, `[text](https://a.example)`.
    private static func isURL(_ word: String) -> Bool { word.contains("://") }

    private static func columns(_ text: some StringProtocol) -> Int { text.unicodeScalars.count }
}
