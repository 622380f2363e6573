/// A strict JSON reader (RFC 8259) that keeps the position of each value.
///
/// Why not the YAML reader: libyaml rejects surrogate escapes, keys over 1,024 characters and a leading tab, which are
/// valid JSON. Numbers keep their text.
///
/// It is `@safe` because only `read` creates it, and the address of the bytes is stable during that call.
@safe struct JSONReader {
    /// Reads one document. The bytes are known to be UTF-8, without a byte order mark.
    static func read(_ bytes: [UInt8], file: UInt32 = 0) throws(Diagnostic) -> Node {
        let result = unsafe bytes.withUnsafeBufferPointer { buffer -> Result<Node, Diagnostic> in
            // The base address of an empty array can be nil.
            guard let base = buffer.baseAddress else {
                return .failure(.error(.jsonSyntax, "the document is empty", at: .start(of: file)))
            }
            var reader = unsafe JSONReader(base: base, count: buffer.count, file: file)
            return Result { () throws(Diagnostic) in try reader.document() }
        }
        return try result.get()
    }

    // Why a raw pointer: its subscript is inlined even in debug builds, where the tool must be fast too. It is accessed
    // only after a check that `offset` is less than `count`.
    let base: UnsafePointer<UInt8>
    let count: Int
    private let file: UInt32
    var offset = 0
    private var line = 1
    private var lineStart = 0
    /// UTF-8 continuation bytes since `lineStart`, so that columns count scalars.
    var continuationBytes = 0

    private init(base: UnsafePointer<UInt8>, count: Int, file: UInt32) {
        unsafe self.base = unsafe base
        self.file = file
        self.count = count
    }

    private var position: SourcePosition {
        SourcePosition(line: line, column: offset - lineStart - continuationBytes + 1, file: file)
    }

    func failure(_ message: String) -> Diagnostic {
        .error(.jsonSyntax, message, at: position)
    }

    private mutating func document() throws(Diagnostic) -> Node {
        skipSpace()
        if offset >= count { throw failure("the document is empty") }
        let node = try value(depth: 0)
        skipSpace()
        if offset < count { throw failure("unexpected \(describeByte()) after the end of the document") }
        return node
    }

    private mutating func skipSpace() {
        while offset < count {
            switch unsafe base[offset] {
            case 0x20, 0x09, 0x0D:
                offset += 1
            case 0x0A:
                offset += 1
                line += 1
                lineStart = offset
                continuationBytes = 0
            default:
                return
            }
        }
    }

    private mutating func value(depth: Int) throws(Diagnostic) -> Node {
        guard offset < count else { throw failure("expected a value, found the end of the document") }
        guard depth < TreeLimits.depth else {
            throw .error(.limit, "nested more than \(TreeLimits.depth) levels deep", at: position)
        }
        let start = position
        switch unsafe base[offset] {
        case UInt8(ascii: "{"):
            return Node(value: .object(try object(depth: depth)), position: start)
        case UInt8(ascii: "["):
            return Node(value: .array(try array(depth: depth)), position: start)
        case UInt8(ascii: "\""):
            return Node(value: .string(try string()), position: start)
        case UInt8(ascii: "t"):
            try word("true")
            return Node(value: .bool(true), position: start)
        case UInt8(ascii: "f"):
            try word("false")
            return Node(value: .bool(false), position: start)
        case UInt8(ascii: "n"):
            try word("null")
            return Node(value: .null, position: start)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            return Node(value: .number(try number()), position: start)
        default:
            throw failure("expected a value, found \(describeByte())")
        }
    }

    private mutating func object(depth: Int) throws(Diagnostic) -> Node.Object {
        var builder = ObjectBuilder()
        offset += 1
        skipSpace()
        if offset < count, unsafe base[offset] == UInt8(ascii: "}") {
            offset += 1
            return builder.finish()
        }
        while true {
            guard offset < count, unsafe base[offset] == UInt8(ascii: "\"") else {
                throw failure("expected a key in double quotes, found \(describeByte())")
            }
            let keyPosition = position
            let key = try string()
            skipSpace()
            guard offset < count, unsafe base[offset] == UInt8(ascii: ":") else {
                throw failure("expected ':' after the key, found \(describeByte())")
            }
            offset += 1
            skipSpace()
            let member = try value(depth: depth + 1)
            if let earlier = builder.add(key, at: keyPosition, member) {
                throw .error(
                    .duplicateKey, "duplicate key \"\(key)\"", at: keyPosition,
                    notes: [.init(message: "first defined here", position: earlier)])
            }
            skipSpace()
            guard offset < count else { throw failure("unterminated object") }
            switch unsafe base[offset] {
            case UInt8(ascii: ","):
                offset += 1
                skipSpace()
            case UInt8(ascii: "}"):
                offset += 1
                return builder.finish()
            default:
                throw failure("expected ',' or '}', found \(describeByte())")
            }
        }
    }

    private mutating func array(depth: Int) throws(Diagnostic) -> [Node] {
        var items: [Node] = []
        offset += 1
        skipSpace()
        if offset < count, unsafe base[offset] == UInt8(ascii: "]") {
            offset += 1
            return items
        }
        while true {
            items.append(try value(depth: depth + 1))
            skipSpace()
            guard offset < count else { throw failure("unterminated array") }
            switch unsafe base[offset] {
            case UInt8(ascii: ","):
                offset += 1
                skipSpace()
            case UInt8(ascii: "]"):
                offset += 1
                return items
            default:
                throw failure("expected ',' or ']', found \(describeByte())")
            }
        }
    }

    private mutating func word(_ word: StaticString) throws(Diagnostic) {
        for index in 0..<word.utf8CodeUnitCount {
            guard offset + index < count, unsafe base[offset + index] == word.utf8Start[index] else {
                throw failure("expected a value, found \(describeByte())")
            }
        }
        offset += word.utf8CodeUnitCount
    }

    private mutating func number() throws(Diagnostic) -> String {
        let start = offset
        if unsafe base[offset] == UInt8(ascii: "-") { offset += 1 }
        guard offset < count, isDigit(unsafe base[offset]) else {
            throw failure("expected a digit, found \(describeByte())")
        }
        if unsafe base[offset] == UInt8(ascii: "0") {
            offset += 1
            if offset < count, isDigit(unsafe base[offset]) {
                throw failure("a number must not have leading zeros")
            }
        } else {
            skipDigits()
        }
        if offset < count, unsafe base[offset] == UInt8(ascii: ".") {
            offset += 1
            guard offset < count, isDigit(unsafe base[offset]) else {
                throw failure("expected a digit after '.', found \(describeByte())")
            }
            skipDigits()
        }
        if offset < count, unsafe base[offset] | 0x20 == UInt8(ascii: "e") {
            offset += 1
            if offset < count, unsafe base[offset] == UInt8(ascii: "+") || base[offset] == UInt8(ascii: "-") {
                offset += 1
            }
            guard offset < count, isDigit(unsafe base[offset]) else {
                throw failure("expected a digit in the exponent, found \(describeByte())")
            }
            skipDigits()
        }
        return text(from: start, to: offset)
    }

    private mutating func skipDigits() {
        while offset < count, isDigit(unsafe base[offset]) { offset += 1 }
    }

    private func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    func text(from start: Int, to end: Int) -> String {
        unsafe String(decoding: UnsafeBufferPointer(start: base + start, count: end - start), as: UTF8.self)
    }

    /// The byte at `offset`, for a message.
    private func describeByte() -> String {
        guard offset < count else { return "the end of the document" }
        let byte = unsafe base[offset]
        if byte > 0x20, byte < 0x7F { return "'" + String(Character(Unicode.Scalar(byte))) + "'" }
        return "byte 0x" + String(byte, radix: 16, uppercase: true)
    }
}
