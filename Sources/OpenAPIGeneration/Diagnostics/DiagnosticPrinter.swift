/// Formats diagnostics as `path:line:column: error: text [rule]`. Notes are not indented, as in compilers.
package struct DiagnosticPrinter: Sendable {
    /// The paths to print, as the user gave them; the document's first.
    package var paths: [String]
    /// Whether to colour severities with ANSI sequences.
    package var usesColour: Bool

    /// A printer for one document.
    package init(path: String, usesColour: Bool) {
        self.init(paths: [path], usesColour: usesColour)
    }

    /// A printer for a document of several files, in the order of their numbers.
    package init(paths: [String], usesColour: Bool) {
        self.paths = paths
        self.usesColour = usesColour
    }

    /// A diagnostic and its notes, one line each, ending in a newline.
    package func text(of diagnostic: Diagnostic) -> String {
        let severity = diagnostic.severity.rawValue
        let colour = diagnostic.severity == .error ? "31" : "35"
        var text =
            place(diagnostic.position) + painted(severity + ":", colour) + " "
            + PrintableText.oneLine(diagnostic.message) + " [\(diagnostic.rule.name)]\n"
        for note in diagnostic.notes {
            text +=
                place(note.position) + painted("note:", "36") + " " + PrintableText.oneLine(note.message)
                + "\n"
        }
        return text
    }

    private func place(_ position: SourcePosition?) -> String {
        let file = position.map { Int($0.file) } ?? 0
        let path = PrintableText.oneLine(file < paths.count ? paths[file] : "")
        guard let position else { return "\(path): " }
        return "\(path):\(position.line):\(position.column): "
    }

    private func painted(_ text: String, _ colour: String) -> String {
        usesColour ? "\u{1B}[1;\(colour)m\(text)\u{1B}[0m" : text
    }
}

/// Escapes text of a document for a terminal.
package enum PrintableText {
    /// `text` on one line: control characters, which could move a terminal's cursor, are written as escapes.
    package static func oneLine(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            let isDirectional =
                (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
                || scalar.value == 0x2028 || scalar.value == 0x2029
            if isControl || isDirectional {
                result += "\\u{" + String(scalar.value, radix: 16) + "}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
