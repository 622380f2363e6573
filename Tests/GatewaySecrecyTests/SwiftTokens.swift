/// Cuts Swift into words and signs; comments are left out, and a string literal is the one token `""`.
struct SwiftTokens {
    private let text: [Character]
    private var position = 0
    private var tokens: [Substring] = []

    static func tokens(of source: String) -> [Substring] {
        var reader = SwiftTokens(text: Array(source))
        reader.read()
        return reader.tokens
    }

    private init(text: [Character]) { self.text = text }

    private func starts(_ word: String, at offset: Int = 0) -> Bool {
        let start = position + offset
        return start + word.count <= text.count && zip(text[start...], word).allSatisfy { $0 == $1 }
    }

    private mutating func read() {
        while position < text.count {
            let character = text[position]
            if starts("//") {
                while position < text.count, !text[position].isNewline { position += 1 }
            } else if starts("/*") {
                skipComment()
            } else if character == "\"" || isRawString {
                skipString()
                tokens.append("\"\"")
            } else if character.isIdentifierHead || character == "@" || character == "#" {
                let start = position
                position += 1
                while position < text.count,
                    text[position].isIdentifierHead || text[position].isNumber
                {
                    position += 1
                }
                tokens.append(Substring(String(text[start..<position])))
            } else if character.isNumber {
                let start = position
                while position < text.count,
                    text[position].isNumber || text[position].isLetter || text[position] == "_"
                {
                    position += 1
                }
                tokens.append(Substring(String(text[start..<position])))
            } else {
                if !character.isWhitespace { tokens.append(Substring(String(character))) }
                position += 1
            }
        }
    }

    /// Comments nest.
    private mutating func skipComment() {
        var open = 0
        while position < text.count {
            if starts("/*") {
                open += 1
                position += 2
            } else if starts("*/") {
                open -= 1
                position += 2
                if open == 0 { return }
            } else {
                position += 1
            }
        }
    }

    private var isRawString: Bool {
        var offset = 0
        while starts("#", at: offset) { offset += 1 }
        return offset > 0 && starts("\"", at: offset)
    }

    /// Skips a literal with all its interpolations.
    private mutating func skipString() {
        var marks = 0
        while starts("#") {
            marks += 1
            position += 1
        }
        let quote = starts("\"\"\"") ? "\"\"\"" : "\""
        position += quote.count
        let end = quote + String(repeating: "#", count: marks)
        let escape = "\\" + String(repeating: "#", count: marks)
        while position < text.count {
            if starts(end) {
                position += end.count
                return
            }
            if starts(escape) {
                position += escape.count
                if starts("(") { skipInterpolation() } else { position += 1 }
            } else {
                position += 1
            }
        }
    }

    private mutating func skipInterpolation() {
        var open = 0
        while position < text.count {
            if starts("\"") || isRawString {
                skipString()
                continue
            }
            if starts("(") { open += 1 }
            if starts(")") { open -= 1 }
            position += 1
            if open == 0 { return }
        }
    }
}
