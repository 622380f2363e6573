/// Cuts Swift into words and signs; comments are left out, and a string literal is the one token `""`.
struct SwiftTokens {
    private let bytes: [UInt8]
    private var position = 0
    private var tokens: [Substring] = []

    static func tokens(of source: String) -> [Substring] {
        var reader = SwiftTokens(bytes: Array(source.utf8))
        reader.read()
        return reader.tokens
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private static let slash = UInt8(ascii: "/")
    private static let star = UInt8(ascii: "*")
    private static let quote = UInt8(ascii: "\"")
    private static let hash = UInt8(ascii: "#")
    private static let backslash = UInt8(ascii: "\\")

    /// The byte at an offset from here; 0 behind the end.
    private func byte(_ offset: Int) -> UInt8 {
        position + offset < bytes.count ? bytes[position + offset] : 0
    }

    /// Whether a word has the byte. Letters that are not ASCII have bytes from 0x80 on.
    private static func isInWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "`"), 0x80...:
            true
        default: false
        }
    }

    private mutating func read() {
        while position < bytes.count {
            let byte = bytes[position]
            if byte == Self.slash, self.byte(1) == Self.slash {
                while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
            } else if byte == Self.slash, self.byte(1) == Self.star {
                skipComment()
            } else if byte == Self.quote || isRawString {
                skipString()
                tokens.append("\"\"")
            } else if byte <= UInt8(ascii: " ") {
                position += 1
            } else {
                let start = position
                position += 1
                if Self.isInWord(byte) || byte == UInt8(ascii: "@") || byte == Self.hash {
                    while position < bytes.count, Self.isInWord(bytes[position]) { position += 1 }
                }
                tokens.append(Substring(decoding: bytes[start..<position], as: UTF8.self))
            }
        }
    }

    /// Comments nest.
    private mutating func skipComment() {
        var open = 0
        while position < bytes.count {
            if bytes[position] == Self.slash, byte(1) == Self.star {
                open += 1
                position += 2
            } else if bytes[position] == Self.star, byte(1) == Self.slash {
                open -= 1
                position += 2
                if open == 0 { return }
            } else {
                position += 1
            }
        }
    }

    private var isRawString: Bool {
        guard bytes[position] == Self.hash else { return false }
        var offset = 1
        while byte(offset) == Self.hash { offset += 1 }
        return byte(offset) == Self.quote
    }

    private func starts(_ word: [UInt8]) -> Bool {
        for (offset, expected) in word.enumerated() where byte(offset) != expected { return false }
        return true
    }

    /// Skips a literal with all its interpolations.
    private mutating func skipString() {
        var marks: [UInt8] = []
        while byte(0) == Self.hash {
            marks.append(Self.hash)
            position += 1
        }
        let three = [Self.quote, Self.quote, Self.quote]
        let quote = starts(three) ? three : [Self.quote]
        position += quote.count
        let end = quote + marks
        let escape = [Self.backslash] + marks
        while position < bytes.count {
            if bytes[position] == Self.quote, starts(end) {
                position += end.count
                return
            }
            if bytes[position] == Self.backslash, starts(escape) {
                position += escape.count
                if byte(0) == UInt8(ascii: "(") { skipInterpolation() } else { position += 1 }
            } else {
                position += 1
            }
        }
    }

    private mutating func skipInterpolation() {
        var open = 0
        while position < bytes.count {
            if bytes[position] == Self.quote || isRawString {
                skipString()
                continue
            }
            if bytes[position] == UInt8(ascii: "(") { open += 1 }
            if bytes[position] == UInt8(ascii: ")") { open -= 1 }
            position += 1
            if open == 0 { return }
        }
    }
}
