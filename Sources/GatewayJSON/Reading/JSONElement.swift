/// One value of a parsed document: a reference, nothing is copied before it is asked for.
public struct JSONElement: Sendable {
    let document: JSONDocument
    let index: Int
    /// The steps of the path whose names the type that is decoded does not know: a bit for each, that of the last step
    /// lowest. Names of steps before the last 64 count as unknown.
    let hidden: UInt64

    var entry: JSONTape.Entry { document.entries[index] }

    /// What the value is.
    public var type: JSONType { JSONType(entry.kind) }

    /// Whether the value is `null`.
    public var isNull: Bool { entry.kind == .null }

    /// Where the value lies: `$.items[3].price`. Members that were not asked for by name, such as those of a dictionary, have
    /// their position in place of a name, which may be a secret: `$.prices[#0].amount`.
    public var path: String { document.path(to: index, hidden: hidden) }

    /// The same value, whose name the document of an API knows.
    package var named: JSONElement { JSONElement(document: document, index: index, hidden: hidden & ~1) }

    /// The bytes of the value as they were received, a string's without its quotation marks.
    var raw: ArraySlice<UInt8> { document.raw(entry) }

    /// The value as a boolean.
    ///
    /// - Throws: `wrongType`.
    public func bool() throws(JSONError) -> Bool {
        switch entry.kind {
        case .true: return true
        case .false: return false
        default: throw wrongType("a boolean")
        }
    }

    /// The value as a string.
    ///
    /// - Throws: `wrongType`.
    public func string() throws(JSONError) -> String {
        guard entry.kind == .string || entry.kind == .escapedString else { throw wrongType("a string") }
        if entry.length > 256 { try document.watch?.charge(entry.length / 32) }
        return document.text(at: index)
    }

    /// The bytes of a string, for formats that are read from them.
    ///
    /// - Throws: `wrongType`.
    package func stringBytes() throws(JSONError) -> ArraySlice<UInt8> {
        switch entry.kind {
        case .string: return raw
        case .escapedString: return JSONEscapes.resolved(raw)[...]
        default: throw wrongType("a string")
        }
    }

    /// The value as an integer, exactly; `1.0` and `1e3` are integers too.
    ///
    /// - Throws: `wrongType`, `outOfRange`.
    public func integer<Value: FixedWidthInteger>(
        _ type: Value.Type = Value.self
    ) throws(JSONError) -> Value {
        switch entry.kind {
        case .integer:
            if let value = JSONNumber.integer(raw, type) { return value }
        case .number:
            if let value = JSONNumber(text: document.text(at: index)).integer(type) { return value }
        default:
            throw wrongType("an integer")
        }
        throw JSONError(
            .outOfRange,
            .text("the number is not an integer, or does not fit into \(Value.bitWidth) bits"),
            at: .value(self))
    }

    /// The value as the nearest floating-point number.
    ///
    /// - Throws: `wrongType`; `outOfRange` when it is too large.
    public func double() throws(JSONError) -> Double {
        if entry.kind == .integer || entry.kind == .number, let value = JSONNumber.double(raw) {
            return value
        }
        let value = try number().double
        guard value.isFinite else { throw outOfRange("the number is too large") }
        return value
    }

    /// The value as a number, digit for digit.
    ///
    /// - Throws: `wrongType`.
    public func number() throws(JSONError) -> JSONNumber {
        guard entry.kind == .integer || entry.kind == .number else { throw wrongType("a number") }
        return JSONNumber(text: document.text(at: index))
    }

    /// The elements of an array.
    ///
    /// - Throws: `wrongType`.
    public func elements() throws(JSONError) -> JSONElements {
        guard entry.kind == .array else { throw wrongType("an array") }
        try document.watch?.charge(1 + entry.length)
        return JSONElements(document: document, container: index, hidden: hidden &<< 1)
    }

    /// The members of an object, to read by name.
    ///
    /// - Throws: `wrongType`.
    public func object() throws(JSONError) -> JSONObject {
        guard entry.kind == .object else { throw wrongType("an object") }
        try document.watch?.charge(1 + entry.length)
        return JSONObject(document: document, index: index, hidden: hidden)
    }

    /// The member of a name; nil when there is none, or when the value is no object.
    public subscript(key: StaticString) -> JSONElement? {
        guard entry.kind == .object else { return nil }
        var object = JSONObject(document: document, index: index, hidden: hidden)
        return object.find(key)
    }

    /// The text of a member that says which variant an object is; nil when it doesn't.
    @_spi(Generated) public func discriminator(_ key: StaticString) -> String? {
        self[key]?.stringOrNil
    }

    /// The error of a value that is of another type than expected.
    public func wrongType(_ expected: StaticString) -> JSONError {
        JSONError(.wrongType, .expectedNot(expected, type), at: .value(self))
    }

    /// The error of a string that is not of the expected format.
    public func wrongFormat(_ expected: StaticString) -> JSONError {
        JSONError(.wrongFormat, .expected(expected), at: .value(self))
    }

    /// The error of a string that is not of the expected format, with a message of its own.
    package func wrongFormat(message: StaticString) -> JSONError {
        JSONError(.wrongFormat, .fixed(message), at: .value(self))
    }

    /// The error of a number that does not fit its type.
    package func outOfRange(_ message: StaticString) -> JSONError {
        JSONError(.outOfRange, .fixed(message), at: .value(self))
    }
}

extension JSONType {
    var phrase: StaticString {
        switch self {
        case .null: "null"
        case .bool: "a boolean"
        case .number: "a number"
        case .string: "a string"
        case .array: "an array"
        case .object: "an object"
        }
    }
}
