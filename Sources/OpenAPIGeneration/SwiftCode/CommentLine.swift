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
        var width = columns(current)
        var isEmpty = true
        for word in words(rest) {
            let length = columns(word)
            if !isEmpty, width + 1 + length > limit {
                result.append(current)
                current = start
                width = columns(start)
                isEmpty = true
            }
            if !isEmpty { current += " " }
            current += word
            width += isEmpty ? length : length + 1
            isEmpty = false
            // A part of a URL would be another URL.
            while width > limit, !isURL(word) {
                let scalars = current.unicodeScalars
                result.append(String(scalars.prefix(limit)))
                current = start + String(scalars.dropFirst(limit))
                width += columns(start) - limit
            }
        }
        if !isEmpty { result.append(current) }
        return result
    }

    /// The words of a text. A word that would start a list or a heading at the start of a line stays with the previous
    /// word.
    private static func words(_ text: Substring) -> [String] {
        var result: [String] = []
        for word in text.split(atByte: " ") where !word.isEmpty {
            if let last = result.indices.last, isMarker(word.utf8), columns(result[last]) < Printer.limit / 2
            {
                result[last] += " " + word
            } else {
                result.append(String(word))
            }
        }
        return result
    }

    private static func isMarker(_ word: Substring.UTF8View) -> Bool {
        switch word.last {
        case UInt8(ascii: "-"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ">"), UInt8(ascii: "|"):
            word.count == 1
        case UInt8(ascii: "#"), UInt8(ascii: "="):
            word.allSatisfy { $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "=") }
        case UInt8(ascii: "."), UInt8(ascii: ")"):
            word.count > 1
                && word.dropLast().allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        default: false
        }
    }

    /// Whether a word is or contains a URL: `https://a.example`, `[text](https://a.example)`.
    private static func isURL(_ word: String) -> Bool { word.contains("://") }

    /// The number of Unicode scalars.
    private static func columns(_ text: String) -> Int {
        text.utf8.reduce(0) { $1 & 0xC0 == 0x80 ? $0 : $0 + 1 }
    }
}
