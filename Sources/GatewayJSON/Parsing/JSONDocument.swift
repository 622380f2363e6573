/// A parsed document: its bytes, and the places of its values in them.
public final class JSONDocument: Sendable {
    let bytes: [UInt8]
    let entries: [JSONTape.Entry]
    /// Whether all names of members are ASCII and written without escapes.
    let hasPlainKeys: Bool
    /// Bounds the work of decoding. Nil: not bounded.
    let watch: DecodingWatch?

    /// Parses and checks all of the bytes: grammar, UTF-8, unique keys, depth and size.
    ///
    /// - Throws: `syntax`, `encoding`, `duplicateKey`, `tooDeep`, `tooLarge`.
    public init(_ bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
        var parser = try JSONParser(bytes, limits: limits)
        try parser.parse()
        self.bytes = bytes
        entries = parser.tape.entries
        hasPlainKeys = parser.hasPlainKeys
        watch = nil
    }

    /// Parses a document that is decoded once, with bounded work.
    init(
        _ bytes: [UInt8], limits: JSONLimits, interruption: DecodingWatch.Interruption?
    ) throws(JSONError) {
        var parser = try JSONParser(bytes, limits: limits, interruption: interruption)
        try parser.parse()
        self.bytes = bytes
        entries = parser.tape.entries
        hasPlainKeys = parser.hasPlainKeys
        watch = DecodingWatch(values: entries.count, bytes: bytes.count, interruption: interruption)
    }

    /// The outermost value.
    public var root: JSONElement { JSONElement(document: self, index: 0) }

    /// The index of the value after the one at `index`.
    @inline(__always)
    func end(of index: Int) -> Int { entries[index].end(at: index) }

    /// The bytes of a value that is not a container.
    func raw(_ entry: JSONTape.Entry) -> ArraySlice<UInt8> {
        bytes[entry.offset..<entry.offset + entry.length]
    }

    /// The text of a string or number.
    func text(at index: Int) -> String {
        let entry = entries[index]
        if entry.kind == .escapedString {
            return String(decoding: JSONEscapes.resolved(raw(entry)), as: UTF8.self)
        }
        // Why: a slice of the array would be retained and released for each string.
        return unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe String(
                decoding: UnsafeBufferPointer(rebasing: bytes[entry.offset..<entry.offset + entry.length]),
                as: UTF8.self)
        }
    }

    @inline(__always)
    func key(at index: Int, equals key: StaticString) -> Bool {
        let entry = entries[index]
        guard entry.kind == .string else {
            return entry.kind == .escapedString && text(at: index).utf8.elementsEqual("\(key)".utf8)
        }
        let count = key.utf8CodeUnitCount
        guard entry.length == count else { return false }
        let offset = entry.offset
        for position in 0..<count where bytes[offset + position] != key.byte(at: position) { return false }
        return true
    }

    /// The path to a value, found by walking down from the root; only errors need it.
    func path(to target: Int) -> String {
        var path = "$"
        var index = 0
        while index < target, index < entries.count {
            let entry = entries[index]
            let end = end(of: index)
            var child = index + 1
            var position = 0
            while child < end {
                let value = entry.kind == .object ? child + 1 : child
                let next = self.end(of: value)
                if target < next {
                    path += entry.kind == .object ? Self.step(text(at: child)) : "[\(position)]"
                    index = value
                    break
                }
                child = next
                position += 1
            }
            if child >= end || (entry.kind == .object && target == child) { break }
        }
        return path
    }

    /// A member's name as a step of a path.
    static func step(_ name: String) -> String {
        let isPlain =
            !name.isEmpty
            && name.utf8.allSatisfy { byte in
                byte == UInt8(ascii: "_") || (byte &- UInt8(ascii: "0") < 10)
                    || (byte | 0x20) &- UInt8(ascii: "a") < 26
            }
        if isPlain { return ".\(name)" }
        var writer = JSONWriter()
        writer.string(name)
        return "[\(writer.text)]"
    }
}
