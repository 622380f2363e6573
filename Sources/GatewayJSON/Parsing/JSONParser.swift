/// Parses bytes into a tape: strict RFC 8259 in UTF-8, unique keys, bounded depth, no recursion. Other than the tape, it
/// only uses memory that it reuses.
struct JSONParser {
    private(set) var tape = JSONTape()
    /// Whether all names of members are ASCII and written without escapes.
    private(set) var hasPlainKeys = true
    private let bytes: [UInt8]
    var source: [UInt8] { bytes }
    private let maximumDepth: Int
    private let maximumValues: Int
    private let allowsFaultsWithin: Bool
    private let interruption: DecodingWatch.Interruption?
    /// The number of values at the next check.
    private var checkpoint = 0
    private var position = 0
    /// The indices of the containers that are open.
    private var open: [Int] = []
    /// Of the keys of the object that ends.
    var keyHashes: [UInt64] = []

    init(
        _ bytes: [UInt8], limits: JSONLimits, interruption: DecodingWatch.Interruption? = nil
    ) throws(JSONError) {
        guard bytes.count <= min(limits.bytes, 1 << 31) else {
            throw JSONError(.tooLarge, "the document has \(bytes.count) bytes; the limit is \(limits.bytes)")
        }
        self.bytes = bytes
        maximumDepth = limits.depth
        allowsFaultsWithin = limits.allowsFaultsWithin
        maximumValues = min(limits.values, JSONTape.Entry.maximumLength)
        self.interruption = interruption
        tape.entries.reserveCapacity(bytes.count / 12 + 4)
    }

    mutating func parse() throws(JSONError) {
        // A byte order mark may be ignored (RFC 8259, section 8.1).
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        skipWhitespace()
        try value()
        checkpoint = min(maximumValues, DecodingWatch.interval)
        while let container = open.last {
            if tape.entries.count > checkpoint { try check() }
            skipWhitespace()
            if tape.entries[container].kind == .object {
                try member(of: container)
            } else {
                try element(of: container)
            }
        }
        skipWhitespace()
        if position < bytes.count { throw syntax("unexpected bytes after the value") }
    }

    private mutating func check() throws(JSONError) {
        let count = tape.entries.count
        guard count <= maximumValues else {
            throw JSONError(
                .tooLarge, "the document has more values than the limit of \(maximumValues)",
                offset: position)
        }
        if let code = interruption?() { throw DecodingWatch.interrupted(code) }
        checkpoint = min(maximumValues, count + DecodingWatch.interval)
    }

    private mutating func element(of container: Int) throws(JSONError) {
        if peek() == UInt8(ascii: "]") {
            position += 1
            return close(container)
        }
        try separator(in: container)
        try value()
    }

    private mutating func member(of container: Int) throws(JSONError) {
        if peek() == UInt8(ascii: "}") {
            position += 1
            if !allowsFaultsWithin || open.count == 1 { try checkKeys(of: container) }
            return close(container)
        }
        try separator(in: container)
        guard peek() == UInt8(ascii: "\"") else { throw syntax("expected a key in quotes") }
        if try !string() { hasPlainKeys = false }
        skipWhitespace()
        guard peek() == UInt8(ascii: ":") else { throw syntax("expected ':' after the key") }
        position += 1
        skipWhitespace()
        try value()
    }

    /// The comma before every value but the first; counts the value.
    private mutating func separator(in container: Int) throws(JSONError) {
        if tape.entries[container].length > 0 {
            guard peek() == UInt8(ascii: ",") else { throw syntax("expected ',' or the closing bracket") }
            position += 1
            skipWhitespace()
        }
        tape.entries[container].addValue()
    }

    private mutating func close(_ container: Int) {
        tape.entries[container].close(at: tape.entries.count)
        open.removeLast()
    }

    private mutating func value() throws(JSONError) {
        guard let byte = peek() else { throw syntax("expected a value, found the end of the document") }
        switch byte {
        case UInt8(ascii: "{"): try begin(.object)
        case UInt8(ascii: "["): try begin(.array)
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "t"): try literal("true", .true)
        case UInt8(ascii: "f"): try literal("false", .false)
        case UInt8(ascii: "n"): try literal("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        default: throw syntax("expected a value")
        }
    }

    private mutating func begin(_ kind: JSONTape.Kind) throws(JSONError) {
        guard open.count < maximumDepth else {
            throw JSONError(
                .tooDeep, "nested deeper than the limit of \(maximumDepth) levels", offset: position)
        }
        open.append(tape.entries.count)
        tape.entries.append(JSONTape.Entry(kind, position: position, length: 0))
        position += 1
    }

    private mutating func literal(_ text: StaticString, _ kind: JSONTape.Kind) throws(JSONError) {
        let start = position
        guard bytes.count - start >= text.utf8CodeUnitCount else { throw syntax("expected a value") }
        for index in 0..<text.utf8CodeUnitCount where bytes[start + index] != text.byte(at: index) {
            throw syntax("expected a value")
        }
        position += text.utf8CodeUnitCount
        try append(kind, offset: start, length: text.utf8CodeUnitCount)
    }

    private mutating func number() throws(JSONError) {
        let start = position
        var kind = JSONTape.Kind.integer
        if peek() == UInt8(ascii: "-") { position += 1 }
        if peek() == UInt8(ascii: "0") {
            position += 1
        } else {
            try digits()
        }
        if peek() == UInt8(ascii: ".") {
            kind = .number
            position += 1
            try digits()
        }
        if peek() == UInt8(ascii: "e") || peek() == UInt8(ascii: "E") {
            kind = .number
            position += 1
            if peek() == UInt8(ascii: "+") || peek() == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        try append(kind, offset: start, length: position - start)
    }

    private mutating func digits() throws(JSONError) {
        let start = position
        while position < bytes.count, bytes[position] &- UInt8(ascii: "0") < 10 { position += 1 }
        if position == start { throw syntax("expected a digit") }
    }

    /// Returns whether the string is ASCII without escapes.
    private mutating func string() throws(JSONError) -> Bool {
        position += 1
        let start = position
        var kind = JSONTape.Kind.string
        var isPlain = true
        while true {
            position = PlainText.end(in: bytes, from: position)
            guard position < bytes.count else { throw syntax("unterminated string") }
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") { break }
            if byte == UInt8(ascii: "\\") {
                kind = .escapedString
                isPlain = false
                try escape()
            } else if byte >= 0x80 {
                let length = UTF8Sequence.length(in: bytes, at: position)
                guard length > 0 else {
                    throw JSONError(.encoding, "invalid UTF-8", offset: position)
                }
                isPlain = false
                position += length
            } else {
                throw syntax("unescaped control character in a string")
            }
        }
        try append(kind, offset: start, length: position - start)
        position += 1
        return isPlain
    }

    private mutating func escape() throws(JSONError) {
        let start = position
        guard position + 1 < bytes.count else { throw syntax("unterminated string") }
        switch bytes[position + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        case UInt8(ascii: "u"):
            guard let unit = JSONEscapes.unit(in: bytes, at: position) else {
                throw syntax("expected four hexadecimal digits after '\\u'")
            }
            position += 6
            guard unit & 0xF800 == 0xD800 else { return }
            guard unit < 0xDC00, let low = JSONEscapes.unit(in: bytes, at: position), low & 0xFC00 == 0xDC00
            else {
                guard allowsFaultsWithin else {
                    throw JSONError(.encoding, "unpaired surrogate", offset: start)
                }
                return
            }
            position += 6
        default:
            throw syntax("unknown escape sequence")
        }
    }

    @inline(__always)
    private mutating func append(
        _ kind: JSONTape.Kind, offset: Int, length: Int
    ) throws(JSONError) {
        guard length <= JSONTape.Entry.maximumLength else { throw Self.tooLong(at: offset) }
        tape.entries.append(JSONTape.Entry(kind, position: offset, length: length))
    }

    @inline(never)
    private static func tooLong(at offset: Int) -> JSONError {
        JSONError(.tooLarge, "a string or number of more than 256 MiB", offset: offset)
    }

    private func peek() -> UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func skipWhitespace() {
        while position < bytes.count {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    private func syntax(_ message: String) -> JSONError { JSONError(.syntax, message, offset: position) }
}
