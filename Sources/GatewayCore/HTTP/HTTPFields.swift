/// The fields of a message, in the order they were given. A name may occur several times (RFC 9110 §5.3).
public struct HTTPFields: Hashable, Sendable {
    private var fields: [HTTPField] = []

    /// Makes an empty list.
    public init() {}

    /// Makes a list with memory of its own.
    package init(copying other: HTTPFields) {
        fields.reserveCapacity(other.fields.count)
        fields.append(contentsOf: other.fields)
    }

    /// The value of the named field: `nil` where it is absent, the values joined by `", "` where it occurs
    /// more than once (RFC 9110 §5.3). Setting replaces every occurrence; setting `nil` removes them.
    public subscript(name: HTTPField.Name) -> String? {
        get {
            var joined: String?
            for field in fields where field.name == name {
                joined = joined.map { $0 + ", " + field.value } ?? field.value
            }
            return joined
        }
        set {
            guard let newValue else { return remove(name) }
            guard let index = fields.firstIndex(where: { $0.name == name }) else {
                return fields.append(HTTPField(name, newValue))
            }
            fields[index].value = newValue
            if fields[(index + 1)...].contains(where: { $0.name == name }) {
                fields = fields.enumerated().filter { $0.offset <= index || $0.element.name != name }
                    .map(\.element)
            }
        }
    }

    /// Every value of the named field, in order.
    public func values(for name: HTTPField.Name) -> [String] {
        fields.filter { $0.name == name }.map(\.value)
    }

    /// Whether the named field occurs.
    public func contains(_ name: HTTPField.Name) -> Bool { fields.contains { $0.name == name } }

    /// Adds a field after the others, keeping any of the same name.
    public mutating func append(_ field: HTTPField) { fields.append(field) }

    /// Adds a field after the others, keeping any of the same name.
    public mutating func append(_ name: HTTPField.Name, _ value: String) {
        fields.append(HTTPField(name, value))
    }

    /// Removes every occurrence of the named field.
    public mutating func remove(_ name: HTTPField.Name) { fields.removeAll { $0.name == name } }

    /// Removes every field and keeps the room.
    package mutating func removeAllKeepingCapacity() { fields.removeAll(keepingCapacity: true) }

    /// Makes room for this many fields, at most for 1,024 of them.
    public mutating func reserveCapacity(_ count: Int) {
        fields.reserveCapacity(Swift.min(Swift.max(0, count), 1024))
    }
}

extension HTTPFields: RandomAccessCollection {
    /// The first position.
    public var startIndex: Int { fields.startIndex }
    /// The position past the last.
    public var endIndex: Int { fields.endIndex }

    /// The field at a position.
    public subscript(position: Int) -> HTTPField { fields[position] }
}

extension HTTPFields: ExpressibleByDictionaryLiteral {
    /// Makes a list from a literal such as `[.accept: "application/json"]`, in the order written.
    public init(dictionaryLiteral elements: (HTTPField.Name, String)...) {
        fields = elements.map { HTTPField($0.0, $0.1) }
    }
}

extension HTTPFields: Redacted {
    /// The names only: values may be secrets.
    public var description: String {
        "[" + fields.map { "\($0.name): …" }.joined(separator: ", ") + "]"
    }
}
