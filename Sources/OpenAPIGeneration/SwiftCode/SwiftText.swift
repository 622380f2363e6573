/// Converts text of a document to Swift source. Documents are untrusted: their text reaches the source only as a
/// literal, as a comment line, or through `SwiftName`.
enum SwiftText {
    /// A string literal. Backslashes, quotes and characters other than printable ASCII are escaped, so that the text
    /// can neither end the literal nor start an interpolation.
    static func literal(_ text: String) -> String {
        if text.utf8.allSatisfy({ isPlain($0) }) { return "\"" + text + "\"" }
        return "\"" + text.unicodeScalars.map { escaped($0) }.joined() + "\""
    }

    /// A character of a string literal.
    static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\\", "\"": "\\" + String(scalar)
        case "\n": "\\n"
        case "\t": "\\t"
        case " "..."~": String(scalar)
        default: "\\u{\(String(scalar.value, radix: 16))}"
        }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: "\"")
    }

    /// The lines of a text for `///`: split at line ends, without control characters, trailing spaces and
    /// empty lines at either end.
    static func commentLines(_ text: String) -> [String] {
        var lines: [String] = []
        for line in text.split(atByte: "\n") { lines.append(commentLine(line)) }
        while lines.last?.isEmpty == true { lines.removeLast() }
        return Array(lines.drop { $0.isEmpty })
    }

    /// The lines of the first text that is not empty.
    static func comment(_ texts: String?...) -> [String] {
        for text in texts {
            let lines = commentLines(text ?? "")
            if !lines.isEmpty { return lines }
        }
        return []
    }

    /// The lines of a comment, and that its declaration is deprecated, unless the lines say so.
    static func deprecated(_ lines: [String]) -> [String] {
        saysDeprecated(lines) ? lines : lines + ["", "Deprecated."]
    }

    /// Whether a line begins with the word, or ends a sentence with it.
    static func saysDeprecated(_ lines: [String]) -> Bool {
        lines.contains { line in
            let text = line.lowercased().drop { !$0.isLetter }
            return text.hasPrefix("deprecated") || text.contains("is deprecated")
        }
    }

    /// A text on one comment line.
    static func oneLine(_ text: String) -> String {
        commentLines(text).filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// The first sentence of a text on one comment line. It ends with the paragraph, or with a full stop before a word
    /// that is not in lower case.
    static func firstSentence(_ text: String) -> String {
        let blocks = ["- ", "* ", "| ", "```"]
        var result = ""
        var isComplete = false
        for line in text.split(atByte: "\n") {
            let line = commentLine(line)
            if line.isEmpty, result.isEmpty { continue }
            if line.isEmpty || blocks.contains(where: { line.hasPrefix($0) }) { break }
            for word in line.split(atByte: " ") where !word.isEmpty {
                if isComplete, word.first?.isLowercase != true { return sentence(result) }
                result += result.isEmpty ? word : " " + word
                // Not after an abbreviation such as `e.g.`.
                isComplete =
                    word.utf8.last.map { ".!?".utf8.contains($0) } ?? false
                    && !word.utf8.dropLast().contains(UInt8(ascii: "."))
            }
        }
        return sentence(result)
    }

    /// A text that ends with a full stop, or another mark.
    static func sentence(_ text: String) -> String {
        guard let last = text.last, !".!?:;".contains(last) else { return text }
        return text + "."
    }

    /// A text on one comment line, as code.
    static func code(_ text: String) -> String {
        "`" + oneLine(text.utf8.contains(UInt8(ascii: "`")) ? text.filter { $0 != "`" } : text) + "`"
    }

    private static func commentLine(_ line: Substring) -> String {
        var text = line
        if !line.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) {
            text = Substring(String(line.unicodeScalars.filter { !isHidden($0) }))
        }
        while text.utf8.last == UInt8(ascii: " ") { text.unicodeScalars.removeLast() }
        return String(text)
    }

    /// Line ends, control characters, and characters that make source look different from how it compiles.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F...0x9F, 0x200B...0x200F, 0x2028...0x202E, 0x2060...0x206F, 0xFEFF: true
        default: false
        }
    }
}
