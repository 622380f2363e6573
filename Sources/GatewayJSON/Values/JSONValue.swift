/// Any JSON value, for what a document leaves open.
///
/// Members have no order; numbers keep their text.
public enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// The member of a name; nil when there is none, or when this is no object.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    /// The element at a position; nil when there is none, or when this is no array.
    public subscript(position: Int) -> JSONValue? {
        guard case .array(let elements) = self, elements.indices.contains(position) else { return nil }
        return elements[position]
    }

    /// The text of a string.
    public var string: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    /// The value of a boolean.
    public var bool: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    /// The value of a number that is an integer and fits.
    public var int: Int? {
        guard case .number(let value) = self else { return nil }
        return value.integer()
    }

    /// The value of a number.
    public var double: Double? {
        guard case .number(let value) = self else { return nil }
        return value.double
    }
}

extension JSONValue: JSONCodable {
    /// Copies a value out of its document.
    public init(json: JSONElement) throws(JSONError) {
        switch json.type {
        case .null: self = .null
        case .bool: self = .bool(try json.bool())
        case .number: self = .number(try json.number())
        case .string: self = .string(try json.string())
        case .array: self = .array(try [JSONValue](json: json))
        case .object: self = .object(try [String: JSONValue](json: json))
        }
    }

    /// Writes the value, members in the order of their names.
    public func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .number(let value): writer.number(value)
        case .string(let value): writer.string(value)
        case .array(let elements): elements.write(to: &writer)
        case .object(let members): members.write(to: &writer)
        }
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A number.
    public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }
    /// A number. One that is not finite cannot be written.
    public init(floatLiteral value: Double) { self = .number(JSONNumber(text: value.description)) }
    /// A boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// `null`.
    public init(nilLiteral: ()) { self = .null }
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object; of members of the same name the last counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
