/// Any JSON value, for parts of a document without a schema.
///
/// Members have no order; numbers keep their text. An array or object that was decoded refers to the document that it was
/// decoded from, and keeps that document in memory: a large document takes little more than its own size, however many
/// values it has. To keep a small part of a large document, encode the part and decode it again.
public struct JSONValue: Sendable {
    /// The content of a value: one level of it.
    public enum Content: Hashable, Sendable {
        /// `null`.
        case null
        /// A boolean.
        case bool(Bool)
        /// A number.
        case number(JSONNumber)
        /// A string.
        case string(String)
        /// The elements of an array.
        case array([JSONValue])
        /// The members of an object.
        case object([String: JSONValue])
    }

    private enum Storage {
        case null
        case bool(Bool)
        case number(JSONNumber)
        case string(String)
        case array([JSONValue])
        case object([String: JSONValue])
        /// An array or object of a document.
        case element(JSONDocument, UInt32)
    }

    private let storage: Storage

    private init(_ storage: Storage) { self.storage = storage }

    /// `null`.
    public static let null = JSONValue(Storage.null)
    /// A boolean.
    public static func bool(_ value: Bool) -> JSONValue { JSONValue(Storage.bool(value)) }
    /// A number.
    public static func number(_ value: JSONNumber) -> JSONValue { JSONValue(Storage.number(value)) }
    /// A string.
    public static func string(_ value: String) -> JSONValue { JSONValue(Storage.string(value)) }
    /// An array.
    public static func array(_ elements: [JSONValue]) -> JSONValue { JSONValue(Storage.array(elements)) }
    /// An object.
    public static func object(_ members: [String: JSONValue]) -> JSONValue {
        JSONValue(Storage.object(members))
    }

    /// The content, for a `switch`. For an array or object that was decoded, each call builds the collection.
    public var content: Content {
        switch storage {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .number(let value): return .number(value)
        case .string(let value): return .string(value)
        case .array(let elements): return .array(elements)
        case .object(let members): return .object(members)
        case .element(let document, let index):
            let element = JSONElement(document: document, index: Int(index), hidden: .max)
            guard element.type == .object else {
                var elements: [JSONValue] = []
                let children = JSONElements(document: document, container: element.index, hidden: .max)
                elements.reserveCapacity(children.count)
                for child in children { elements.append(JSONValue(part: child)) }
                return .array(elements)
            }
            var members: [String: JSONValue] = [:]
            let object = JSONObject(document: document, index: element.index, hidden: .max)
            members.reserveCapacity(object.count)
            for (name, member) in object.members { members[name] = JSONValue(part: member) }
            return .object(members)
        }
    }

    /// The value of a part of a document whose names were checked.
    private init(part element: JSONElement) {
        let document = element.document
        switch element.entry.kind {
        case .null: storage = .null
        case .true: storage = .bool(true)
        case .false: storage = .bool(false)
        case .integer, .number: storage = .number(JSONNumber(text: document.text(at: element.index)))
        case .string, .escapedString: storage = .string(document.text(at: element.index))
        case .array, .object: storage = .element(document, UInt32(truncatingIfNeeded: element.index))
        }
    }

    /// The elements of an array; nil for other values. Each call builds the array of a value that was decoded.
    public var array: [JSONValue]? {
        guard case .array(let elements) = content else { return nil }
        return elements
    }

    /// The members of an object; nil for other values. Each call builds the dictionary of a value that was decoded.
    public var object: [String: JSONValue]? {
        guard case .object(let members) = content else { return nil }
        return members
    }

    /// The member with a name; nil if there is none, or if this is not an object. Of a value that was decoded, the members
    /// are searched one after the other.
    public subscript(name: String) -> JSONValue? {
        switch storage {
        case .object(let members): return members[name]
        case .element(let document, let index):
            return JSONElement(document: document, index: Int(index), hidden: .max).member(name).map {
                JSONValue(part: $0)
            }
        case .null, .bool, .number, .string, .array: return nil
        }
    }

    /// The element at a position; nil if there is none, or if this is not an array. Of a value that was decoded, the
    /// elements before it are skipped one after the other.
    public subscript(position: Int) -> JSONValue? {
        switch storage {
        case .array(let elements):
            // A ternary operator would take `nil` for the literal of `null`.
            guard elements.indices.contains(position) else { return nil }
            return elements[position]
        case .element(let document, let index):
            let children = JSONElements(document: document, container: Int(index), hidden: .max)
            guard document.entries[Int(index)].kind == .array, (0..<children.count).contains(position) else {
                return nil
            }
            return children.dropFirst(position).first { _ in true }.map { JSONValue(part: $0) }
        case .null, .bool, .number, .string, .object: return nil
        }
    }

    /// The text of a string.
    public var string: String? {
        guard case .string(let value) = storage else { return nil }
        return value
    }

    /// The value of a boolean.
    public var bool: Bool? {
        guard case .bool(let value) = storage else { return nil }
        return value
    }

    /// The number.
    public var number: JSONNumber? {
        guard case .number(let value) = storage else { return nil }
        return value
    }

    /// The value of a number that is an integer and fits.
    public var int: Int? { number?.integer() }

    /// The value of a number.
    public var double: Double? { number?.double }
}

extension JSONValue: JSONCodable {
    /// Decodes a value. An array or object refers to the document.
    ///
    /// - Throws: `duplicateKey` if two names of an object differ only in their bytes, as a composed and a decomposed `é`
    ///   do: a dictionary would keep one of them.
    public init(json: JSONElement) throws(JSONError) {
        switch json.type {
        case .null, .bool, .number: self.init(part: json)
        case .string: self = .string(try json.string())
        case .array, .object:
            try json.document.watch?.charge(1)
            try json.refuseEquivalentNames()
            self.init(part: json)
        }
    }

    /// Encodes the value, members in the order of their names.
    public func write(to writer: inout JSONWriter) {
        switch content {
        case .null: writer.null()
        case .bool(let value): writer.bool(value)
        case .number(let value): writer.number(value)
        case .string(let value): writer.string(value)
        case .array(let elements): elements.write(to: &writer)
        case .object(let members): members.write(to: &writer)
        }
    }
}

extension JSONValue: Hashable {
    /// Whether two values are equal: members in any order, numbers by their text.
    public static func == (left: JSONValue, right: JSONValue) -> Bool { left.content == right.content }

    /// Hashes the value.
    public func hash(into hasher: inout Hasher) { content.hash(into: &hasher) }
}

extension JSONValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The value as JSON. A number that is not finite has its text.
    public var description: String {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.text
    }

    /// The same as the description.
    public var debugDescription: String { description }

    /// The content, not the document that it is part of.
    public var customMirror: Mirror { Mirror(reflecting: content) }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A number.
    public init(integerLiteral value: Int) { self = .number(JSONNumber(value)) }
    /// A number. One that is not finite cannot be encoded.
    public init(floatLiteral value: Double) { self = .number(JSONNumber(value)) }
    /// A boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// `null`.
    public init(nilLiteral: ()) { self = .null }
    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// An object; of members with the same name, the last one is used.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements) { _, last in last })
    }
}
