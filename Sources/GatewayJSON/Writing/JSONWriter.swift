/// Writes JSON, compact, into bytes. Commas come by themselves.
public struct JSONWriter: Sendable {
    private var bytes: [UInt8] = []
    private var failure: JSONError?

    /// An empty writer.
    public init() { self.init(capacity: 512) }

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// What was written.
    ///
    /// - Throws: `notRepresentable`, when a value was written that JSON has no notation for.
    public consuming func finished() throws(JSONError) -> [UInt8] {
        if let failure { throw failure }
        return bytes
    }

    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Remembers that a value has no JSON notation; ``finished()`` throws it.
    public mutating func fail(_ message: StaticString) {
        failure = failure ?? JSONError(.notRepresentable, "\(message)")
        literal("null")
    }

    // MARK: values

    /// Begins an object; members follow, then ``endObject()``.
    public mutating func beginObject() {
        separate()
        bytes.append(UInt8(ascii: "{"))
    }

    /// Ends an object.
    public mutating func endObject() { bytes.append(UInt8(ascii: "}")) }

    /// Begins an array; values follow, then ``endArray()``.
    public mutating func beginArray() {
        separate()
        bytes.append(UInt8(ascii: "["))
    }

    /// Ends an array.
    public mutating func endArray() { bytes.append(UInt8(ascii: "]")) }

    /// A string.
    public mutating func string(_ value: String) {
        separate()
        quote(value)
    }

    /// An integer, exactly.
    public mutating func integer(_ value: some FixedWidthInteger) {
        separate()
        guard let magnitude = UInt64(exactly: value.magnitude) else {
            return bytes.append(contentsOf: String(value).utf8)
        }
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        decimal(magnitude)
    }

    private mutating func decimal(_ value: UInt64) {
        var count = 1
        var limit: UInt64 = 10
        while count < 20, value >= limit {
            count += 1
            limit = count < 20 ? limit &* 10 : limit
        }
        let start = bytes.count
        bytes.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: count))
        var rest = value
        var position = start + count - 1
        while rest > 0 {
            bytes[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
            position -= 1
        }
    }

    /// A floating-point number: the shortest text that reads back as the same. It must be finite.
    public mutating func double(_ value: Double) {
        guard value.isFinite else { return fail("JSON has no infinite or NaN number") }
        literal(value.description)
    }

    /// A number, digit for digit.
    public mutating func number(_ value: JSONNumber) {
        guard value.isFinite else { return fail("JSON has no infinite or NaN number") }
        literal(value.text)
    }

    /// A boolean.
    public mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }

    /// `null`.
    public mutating func null() { literal("null") }

    private mutating func literal(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
    }

    // MARK: members

    /// A member's name; its value must follow.
    public mutating func name(_ name: String) {
        separate()
        quote(name)
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func key(_ key: StaticString) {
        separate()
        // A string literal is stored by pointer, and lives as long as the program.
        unsafe quote(UnsafeBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: ":"))
    }

    /// A member that is a string.
    public mutating func string(_ key: StaticString, _ value: String) {
        self.key(key)
        quote(value)
    }

    /// A member that is an integer.
    public mutating func int(_ key: StaticString, _ value: Int) {
        self.key(key)
        integer(value)
    }

    /// A member that is a floating-point number.
    public mutating func double(_ key: StaticString, _ value: Double) {
        self.key(key)
        double(value)
    }

    /// A member that is a boolean.
    public mutating func bool(_ key: StaticString, _ value: Bool) {
        self.key(key)
        bool(value)
    }

    /// A member.
    public mutating func required<Value: JSONEncodable>(_ key: StaticString, _ value: Value) {
        self.key(key)
        value.write(to: &self)
    }

    /// A member that is written as `null` without a value.
    public mutating func nullable<Value: JSONEncodable>(_ key: StaticString, _ value: Value?) {
        self.key(key)
        if let value { value.write(to: &self) } else { null() }
    }

    /// A member that is left out without a value.
    public mutating func optional<Value: JSONEncodable>(_ key: StaticString, _ value: Value?) {
        if let value { required(key, value) }
    }

    /// A member that is left out, written as `null`, or written.
    public mutating func field<Value: JSONEncodable>(_ key: StaticString, _ value: Field<Value>) {
        switch value {
        case .absent: break
        case .null: nullable(key, Value?.none)
        case .value(let value): required(key, value)
        }
    }

    /// Members by name, in the order of their names.
    ///
    /// - Parameter known: names of members that are written otherwise. One of them among the members cannot be written:
    ///   the object would have it twice.
    public mutating func additional<Value: JSONEncodable>(
        _ members: [String: Value], _ known: [String] = []
    ) {
        guard !members.isEmpty else { return }
        // Names alone are sorted: pairs of any type take a multiple of the time.
        var names: [String] = []
        names.reserveCapacity(members.count)
        for name in members.keys { names.append(name) }
        names.sort()
        for name in names {
            if known.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
                fail("an additional property has the name of a property")
                continue
            }
            self.name(name)
            members[name]?.write(to: &self)
        }
    }

    /// Members that a document does not define, in their order.
    ///
    /// - Parameter known: names of members that are written otherwise. One of them among the members cannot be written:
    ///   the object would have it twice.
    public mutating func unknown(_ members: UnknownProperties, _ known: [StaticString] = []) {
        for member in members.properties {
            if known.contains(where: { $0.isEqual(to: member.name) }) {
                fail("an unknown property has the name of a property")
            } else if member.json.isEmpty {
                fail("JSON has no infinite or NaN number")
            } else {
                name(member.name)
                bytes.append(contentsOf: member.json)
            }
        }
    }

    /// The value of a branch of a union whose discriminator can have values of other branches. It cannot be written if it
    /// would be read as one of those.
    ///
    /// - Parameters:
    ///   - key: the name of the discriminator.
    ///   - others: the discriminator's values that select other branches.
    @_spi(Generated) public mutating func fallback(
        _ value: some JSONEncodable, _ key: StaticString, _ others: [StaticString]
    ) {
        var own = JSONWriter()
        value.write(to: &own)
        guard own.failure == nil else {
            failure = failure ?? own.failure
            return literal("null")
        }
        if let text = (try? JSONDocument(own.bytes))?.root[key]?.discriminatorText,
            others.contains(where: { $0.isEqual(to: text) })
        {
            return fail("the discriminator has a value of another branch")
        }
        separate()
        bytes.append(contentsOf: own.bytes)
    }

    // MARK: bytes

    /// A comma, where a value or member precedes.
    private mutating func separate() {
        switch bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"): break
        default: bytes.append(UInt8(ascii: ","))
        }
    }

    /// A string's quoted bytes, which have nothing to escape.
    package mutating func string(plain content: [UInt8]) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: content)
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func quote(_ value: String) {
        var value = value
        value.withUTF8 { content in unsafe quote(content) }
    }

    private mutating func quote(_ content: UnsafeBufferPointer<UInt8>) {
        bytes.append(UInt8(ascii: "\""))
        var start = 0
        for position in content.indices {
            let byte = unsafe content[position]
            guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: content[start..<position]))
            escape(byte)
            start = position + 1
        }
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: content[start...]))
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case 0x0A: bytes.append(contentsOf: "\\n".utf8)
        case 0x0D: bytes.append(contentsOf: "\\r".utf8)
        case 0x09: bytes.append(contentsOf: "\\t".utf8)
        case 0..<0x20:
            let digits = Array("0123456789abcdef".utf8)
            bytes.append(contentsOf: "\\u00".utf8)
            bytes.append(digits[Int(byte >> 4)])
            bytes.append(digits[Int(byte & 15)])
        default: bytes.append(byte)
        }
    }
}
