/// Text as wide as there is room. Widths are columns of a terminal.
enum TerminalText {
    /// The width of a text: characters of East Asia and emoji take two columns.
    static func width(_ text: some StringProtocol) -> Int { text.reduce(0) { $0 + width(of: $1) } }

    private static func width(of character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            return 2
        default: return scalar.properties.isEmojiPresentation ? 2 : 1
        }
    }

    /// The beginning of a text that has room, with `…` if something is missing.
    static func cut(_ text: String, to columns: Int) -> String {
        guard width(text) > columns else { return text }
        var (shown, rest) = ("", columns - 1)
        for character in text {
            rest -= width(of: character)
            guard rest >= 0 else { break }
            shown.append(character)
        }
        return columns > 0 ? shown + "…" : ""
    }

    /// The lines of a text, broken between words; a word that is longer than a line is cut.
    static func wrap(_ text: String, to columns: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, width(line) + 1 + width(word) > columns {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " " + word
        }
        return (lines + [line]).map { cut($0, to: columns) }
    }
}
