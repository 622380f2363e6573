/// Text as wide as there is room. Widths are columns of a terminal.
enum TerminalText {
    /// The width of a text: characters of East Asia and emoji take two columns.
    ///
    /// Each scalar counts, since many terminals draw the parts of a joined emoji or of a syllable beside one another. A
    /// terminal that joins them has room left.
    static func width(_ text: some StringProtocol) -> Int {
        text.unicodeScalars.reduce(0) { $0 + width(of: $1) }
    }

    private static func width(of scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case ..<0x300: return 1
        // Makes an emoji of the character before.
        case 0xFE0F: return 1
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x1B2FF, 0x1F200...0x1FAFF,
            0x20000...0x3FFFD:
            return 2
        default:
            switch scalar.properties.generalCategory {
            case .nonspacingMark, .enclosingMark: return 0
            default: return scalar.properties.isEmojiPresentation ? 2 : 1
            }
        }
    }

    /// The beginning of a text that has room, with `…` if something is missing.
    static func cut(_ text: String, to columns: Int) -> String {
        guard width(text) > columns else { return text }
        var (shown, rest) = ("", columns - 1)
        for character in text {
            rest -= width(String(character))
            guard rest >= 0 else { break }
            shown.append(character)
        }
        return columns > 0 ? shown + "…" : ""
    }

    /// The lines of a text, broken between words.
    static func wrap(_ text: String, to columns: Int) -> [String] {
        wrap(text.split(separator: " ").map { String($0) }, to: columns)
    }

    /// The lines of words; one that is wider than a line is broken.
    static func wrap(_ words: [String], to columns: Int) -> [String] {
        var lines: [String] = []
        var (line, used) = ("", 0)
        func end() {
            lines.append(line)
            (line, used) = ("", 0)
        }
        for word in words {
            if used > 0, used + 1 + width(word) > columns { end() }
            if used > 0 { (line, used) = (line + " ", used + 1) }
            for character in word {
                let (part, columnCount) = (String(character), width(String(character)))
                if used > 0, used + columnCount > columns { end() }
                line += columnCount > columns ? "…" : part
                used += min(columnCount, max(1, columns))
            }
        }
        end()
        return lines
    }
}
