/// Finds the types that Swift source declares at file level. It knows comments, string literals and braces, not the
/// grammar. Declarations in `#if` are skipped, because the condition is not evaluated. A test compiles this file too.
struct TopLevelTypes {
    private static let keywords: Set<String> = ["actor", "class", "enum", "protocol", "struct", "typealias"]

    private let bytes: [UInt8]
    private var position = 0
    private var line = 1
    /// The number of open braces, parentheses and brackets.
    private var depth = 0
    private var conditions = 0

    private init(_ text: String) { bytes = Array(text.utf8) }

    /// The lines of the first declaration of each name, counted from 1.
    static func lines(of names: Set<String>, in text: String) -> [String: Int] {
        var reader = TopLevelTypes(text)
        var result: [String: Int] = [:]
        var last = ""
        var beforeLast = ""
        while let word = reader.nextWord() {
            if reader.depth == 0, reader.conditions == 0, names.contains(word), result[word] == nil,
                keywords.contains(last), beforeLast != "import"
            {
                result[word] = reader.line
            }
            (beforeLast, last) = (last, word)
        }
        return result
    }

    // MARK: - Tokens

    /// The next identifier, keyword or punctuation mark; nil at the end.
    private mutating func nextWord() -> String? {
        while let byte = peek() {
            switch byte {
            case UInt8(ascii: "\n"):
                line += 1
                position += 1
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "`"): position += 1
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "/"): skipLine()
            case UInt8(ascii: "/") where peek(1) == UInt8(ascii: "*"): skipComment()
            case UInt8(ascii: "\""): skipString(hashes: 0)
            case UInt8(ascii: "#"): skipHashes()
            case let byte where Self.isWord(byte): return word()
            default:
                position += 1
                count(byte)
                return String(UnicodeScalar(byte))
            }
        }
        return nil
    }

    private func peek(_ distance: Int = 0) -> UInt8? {
        bytes.indices.contains(position + distance) ? bytes[position + distance] : nil
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    private mutating func word() -> String {
        let start = position
        while let byte = peek(), Self.isWord(byte) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func count(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: ")"), UInt8(ascii: "]"): depth -= 1
        default: break
        }
    }

    // MARK: - Comments and literals

    private mutating func skipLine() {
        while let byte = peek(), byte != UInt8(ascii: "\n") { position += 1 }
    }

    /// Comments can be nested.
    private mutating func skipComment() {
        var open = 0
        while let byte = peek() {
            let next = peek(1)
            if byte == UInt8(ascii: "/"), next == UInt8(ascii: "*") {
                open += 1
                position += 2
            } else if byte == UInt8(ascii: "*"), next == UInt8(ascii: "/") {
                open -= 1
                position += 2
                if open == 0 { return }
            } else {
                if byte == UInt8(ascii: "\n") { line += 1 }
                position += 1
            }
        }
    }

    /// A raw string, a directive or a macro.
    private mutating func skipHashes() {
        let start = position
        while peek() == UInt8(ascii: "#") { position += 1 }
        if peek() == UInt8(ascii: "\"") { return skipString(hashes: position - start) }
        switch word() {
        case "if": conditions += 1
        case "endif": conditions -= 1
        default: break
        }
    }

    private mutating func skipString(hashes: Int) {
        let isLong = peek(1) == UInt8(ascii: "\"") && peek(2) == UInt8(ascii: "\"")
        let quotes = isLong ? 3 : 1
        position += quotes
        while let byte = peek() {
            if byte == UInt8(ascii: "\n") {
                // The end of a literal that is not closed.
                guard isLong else { return }
                line += 1
            }
            if byte == UInt8(ascii: "\\"), has(UInt8(ascii: "#"), hashes, at: 1) {
                position += 1 + hashes
                if peek() == UInt8(ascii: "(") { skipInterpolation() } else { position += 1 }
            } else if has(UInt8(ascii: "\""), quotes, at: 0), has(UInt8(ascii: "#"), hashes, at: quotes) {
                position += quotes + hashes
                return
            } else {
                position += 1
            }
        }
    }

    private func has(_ byte: UInt8, _ count: Int, at distance: Int) -> Bool {
        (0..<count).allSatisfy { peek(distance + $0) == byte }
    }

    /// The code of an interpolation, which can have literals with parentheses.
    private mutating func skipInterpolation() {
        let outer = depth
        position += 1
        depth += 1
        while depth > outer, nextWord() != nil {}
    }
}
