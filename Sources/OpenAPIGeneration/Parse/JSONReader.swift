/// A strict JSON reader (RFC 8259) that knows where each value stands.
///
/// YAML's reader cannot do this: libyaml refuses surrogate escapes, keys over 1,024 characters and a leading
/// tab, all of which are valid JSON. Numbers keep their text.
///
/// It is `@safe`: made by `read` alone, for a call in which the bytes stay where they are.
@safe struct JSONReader {
    /// Reads one document. The bytes are known to be UTF-8, without a byte order mark.
    static func read(_ bytes: [UInt8], path: String) throws(Diagnostic) -> Node {
        let result = unsafe bytes.withUnsafeBufferPointer { buffer -> Result<Node, Diagnostic> in
            // An empty array may have no address; one byte of our own gives the reader something to point at.
            guard let base = buffer.baseAddress else {
                return .failure(.error(.jsonSyntax, "the document is empty", at: .start))
            }
            var reader = unsafe JSONReader(base: base, count: buffer.count)
            return Result { () throws(Diagnostic) in try reader.document() }
        }
        return try result.get()
    }

    // A raw pointer's subscript is transparent even in a debug build, where the tool has to be fast too.
    // Every access is behind `offset < count`.
    private let base: UnsafePointer<UInt8>
    private let count: Int
    private var offset = 0
    private var line = 1
    private var lineStart = 0
    /// UTF-8 continuation bytes since `lineStart`, so that columns count scalars.
    private var continuationBytes = 0

    private init(base: UnsafePointer<UInt8>, count: Int) {
        unsafe self.base = unsafe base
        self.count = count
    }

    private var position: SourcePosition {
        SourcePosition(line: line, column: offset - lineStart - continuationBytes + 1)
    }

    private func failure(_ message: String) -> Diagnostic {
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
        guard offset < count else { throw failure("the document ends where a value is expected") }
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
                    .duplicateKey, "the key \"\(key)\" stands twice in one object", at: keyPosition,
                    notes: [.init(message: "it stands here first", position: earlier)])
            }
            skipSpace()
            guard offset < count else { throw failure("the document ends inside an object") }
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
            guard offset < count else { throw failure("the document ends inside an array") }
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
                throw failure("a number does not begin with 0")
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

    private func text(from start: Int, to end: Int) -> String {
        unsafe String(
            decoding: UnsafeBufferPointer(start: base + start, count: end - start), as: UTF8.self)
    }

    /// A string without escapes is one copy; with them, the parts are gathered in a buffer.
    private mutating func string() throws(Diagnostic) -> String {
        offset += 1
        let start = offset
        while offset < count {
            let byte = unsafe base[offset]
            if byte == UInt8(ascii: "\"") {
                let result = text(from: start, to: offset)
                offset += 1
                return result
            }
            if byte == UInt8(ascii: "\\") {
                return try escapedString(from: start)
            }
            guard byte >= 0x20 else { throw failure("a control character stands unescaped in a string") }
            if byte & 0xC0 == 0x80 { continuationBytes += 1 }
            offset += 1
        }
        throw failure("the document ends inside a string")
    }

    private mutating func escapedString(from start: Int) throws(Diagnostic) -> String {
        var buffer = unsafe [UInt8](UnsafeBufferPointer(start: base + start, count: offset - start))
        while offset < count {
            let byte = unsafe base[offset]
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return String(decoding: buffer, as: UTF8.self)
            case UInt8(ascii: "\\"):
                try escape(into: &buffer)
            default:
                let plain = offset
                while offset < count {
                    let next = unsafe base[offset]
                    if next == UInt8(ascii: "\"") || next == UInt8(ascii: "\\") { break }
                    guard next >= 0x20 else {
                        throw failure("a control character stands unescaped in a string")
                    }
                    if next & 0xC0 == 0x80 { continuationBytes += 1 }
                    offset += 1
                }
                unsafe buffer.append(
                    contentsOf: UnsafeBufferPointer(start: base + plain, count: offset - plain))
            }
        }
        throw failure("the document ends inside a string")
    }

    private mutating func escape(into buffer: inout [UInt8]) throws(Diagnostic) {
        guard offset + 1 < count else { throw failure("the document ends inside a string") }
        let byte = unsafe base[offset + 1]
        let plain: UInt8
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): plain = byte
        case UInt8(ascii: "b"): plain = 0x08
        case UInt8(ascii: "f"): plain = 0x0C
        case UInt8(ascii: "n"): plain = 0x0A
        case UInt8(ascii: "r"): plain = 0x0D
        case UInt8(ascii: "t"): plain = 0x09
        case UInt8(ascii: "u"):
            let scalar = try unicodeEscape()
            buffer.append(contentsOf: Array(String(Character(scalar)).utf8))
            return
        default:
            throw failure("unknown escape in a string")
        }
        offset += 2
        buffer.append(plain)
    }

    /// `\uXXXX`, or two that form a surrogate pair (RFC 8259, section 7).
    private mutating func unicodeEscape() throws(Diagnostic) -> Unicode.Scalar {
        let first = try codeUnit()
        if let scalar = Unicode.Scalar(first) {
            offset += 6
            return scalar
        }
        guard first < 0xDC00, offset + 7 < count, unsafe base[offset + 6] == UInt8(ascii: "\\"),
            unsafe base[offset + 7] == UInt8(ascii: "u")
        else { throw failure("half of a surrogate pair stands alone") }
        let start = offset
        offset += 6
        let second = try codeUnit()
        guard second >= 0xDC00, second <= 0xDFFF,
            let scalar = Unicode.Scalar(
                0x10000 + ((UInt32(first) - 0xD800) << 10) + (UInt32(second) - 0xDC00))
        else {
            offset = start
            throw failure("half of a surrogate pair stands alone")
        }
        offset += 6
        return scalar
    }

    /// The four hexadecimal digits of the escape at `offset`.
    private func codeUnit() throws(Diagnostic) -> UInt16 {
        guard offset + 6 <= count else { throw failure("the document ends inside a string") }
        var unit: UInt16 = 0
        for index in 2..<6 {
            let byte = unsafe base[offset + index]
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: throw failure("expected four hexadecimal digits after \\u")
            }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    /// The byte at `offset`, for a message.
    private func describeByte() -> String {
        guard offset < count else { return "the end of the document" }
        let byte = unsafe base[offset]
        if byte > 0x20, byte < 0x7F { return "'" + String(Character(Unicode.Scalar(byte))) + "'" }
        return "byte 0x" + String(byte, radix: 16, uppercase: true)
    }
}
