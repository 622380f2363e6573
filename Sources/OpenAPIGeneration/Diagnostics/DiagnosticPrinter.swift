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

    /// All diagnostics of a run. More than `limit` warnings of one rule become one line with their count and first
    /// places, at the first of them. Errors are all listed.
    ///
    /// - Parameter limit: Nil: each diagnostic has its own line.
    package func text(of diagnostics: [Diagnostic], limit: Int? = Self.limit) -> String {
        let warnings = Dictionary(grouping: diagnostics.filter { $0.severity == .warning }, by: \.rule)
        var grouped = Set<Diagnostic.Rule>()
        var text = ""
        for diagnostic in diagnostics {
            guard let limit, diagnostic.severity == .warning, let all = warnings[diagnostic.rule],
                all.count > limit
            else {
                text += self.text(of: diagnostic)
                continue
            }
            guard grouped.insert(diagnostic.rule).inserted else { continue }
            var summary = diagnostic
            summary.message = "\(all.count) warnings, the first: \(diagnostic.message)"
            let places = all.dropFirst().compactMap { $0.position.map { shortPlace($0) } }.prefix(2)
            if !places.isEmpty { summary.message += "; then at \(places.joined(separator: " and "))" }
            summary.message += "; gateway-openapi validate --verbose lists all"
            summary.notes = []
            text += self.text(of: summary)
        }
        return text
    }

    /// The maximum number of warnings of one rule that are listed separately.
    package static let limit = 10

    /// `line:column`, with the path for files other than the document.
    private func shortPlace(_ position: SourcePosition) -> String {
        let path =
            position.file > 0 && Int(position.file) < paths.count ? paths[Int(position.file)] + ":" : ""
        return "\(path)\(position.line):\(position.column)"
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
    /// `text` on one line. Control characters, which could move a terminal's cursor, are escaped.
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
