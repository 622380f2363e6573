/// A parsed document: its bytes, and the places of its values in them.
public final class JSONDocument: Sendable {
    let bytes: [UInt8]
    let entries: [JSONTape.Entry]
    /// Whether all names of members are ASCII and written without escapes.
    let hasPlainKeys: Bool
    /// Whether names may repeat below the outermost object.
    let allowsFaultsWithin: Bool
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
        allowsFaultsWithin = limits.allowsFaultsWithin
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
        allowsFaultsWithin = limits.allowsFaultsWithin
        watch = DecodingWatch(values: entries.count, bytes: bytes.count, interruption: interruption)
    }

    /// The outermost value.
    public var root: JSONElement { JSONElement(document: self, index: 0, hidden: 0) }

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

    /// A step of a path.
    private enum Step {
        /// An element of an array, by its position.
        case element(Int)
        /// A member of an object, by the index of its key and its position.
        case member(Int, Int)
    }

    /// The path to a value, found by walking down from the root; only errors need it.
    ///
    /// - Parameter hidden: the steps whose names are not shown, as in ``JSONElement/hidden``.
    func path(to target: Int, hidden: UInt64) -> String {
        let steps = steps(to: target)
        var path = "$"
        for (place, step) in steps.enumerated() {
            switch step {
            case .element(let position): path += "[\(position)]"
            case .member(let key, let position):
                let fromEnd = steps.count - 1 - place
                let isHidden = fromEnd >= UInt64.bitWidth || (hidden >> UInt64(fromEnd)) & 1 == 1
                path += isHidden ? "[#\(position)]" : Self.step(text(at: key))
            }
        }
        return path
    }

    /// The number of steps from a value down to one in it.
    func depth(of target: Int, in container: Int) -> Int { steps(to: target, from: container).count }

    private func steps(to target: Int, from root: Int = 0) -> [Step] {
        var steps: [Step] = []
        var index = root
        while index < target, index < entries.count {
            let isObject = entries[index].kind == .object
            let end = end(of: index)
            var child = index + 1
            var position = 0
            while child < end {
                let value = isObject ? child + 1 : child
                let next = self.end(of: value)
                if target < next {
                    steps.append(isObject ? .member(child, position) : .element(position))
                    index = value
                    break
                }
                child = next
                position += 1
            }
            if child >= end { break }
        }
        return steps
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
