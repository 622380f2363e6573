/// The fields of a message, in the order they were given. A name may occur several times (RFC 9110 §5.3).
public struct HTTPFields: Sendable {
    private var fields: [HTTPField] = []
    /// The field after those of the array.
    private var last: TrailingField?

    /// Makes an empty list.
    public init() {}

    /// Makes a list with memory of its own.
    package init(copying other: HTTPFields) {
        fields.reserveCapacity(other.count)
        fields.append(contentsOf: other)
    }

    /// The value of the named field: `nil` where it is absent, the values joined by `", "` where it occurs
    /// more than once (RFC 9110 §5.3). Setting replaces every occurrence; setting `nil` removes them.
    ///
    /// Of a field that may occur once, equal values count once. Different ones count as absent (`Content-Location`, `Date`,
    /// `ETag`, `Expires`, `Last-Modified`, `Retry-After`), or the first one counts (`Age`, `Strict-Transport-Security`).
    public subscript(name: HTTPField.Name) -> String? {
        get {
            var value: String?
            for field in self where field.name == name {
                guard value == nil else { return repeatedValue(of: name) }
                value = field.value
            }
            return value
        }
        set {
            guard let newValue else { return remove(name) }
            moveLast()
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
        filter { $0.name == name }.map(\.value)
    }

    /// Whether the named field occurs.
    public func contains(_ name: HTTPField.Name) -> Bool {
        last?.field.name == name || fields.contains { $0.name == name }
    }

    /// Adds a field after the others, keeping any of the same name.
    public mutating func append(_ field: HTTPField) {
        moveLast()
        fields.append(field)
    }

    /// Adds a field after the others, keeping any of the same name.
    public mutating func append(_ name: HTTPField.Name, _ value: String) {
        append(HTTPField(name, value))
    }

    /// Removes every occurrence of the named field.
    public mutating func remove(_ name: HTTPField.Name) {
        if last?.field.name == name { last = nil }
        fields.removeAll { $0.name == name }
    }

    /// Removes every field and keeps the room.
    package mutating func removeAllKeepingCapacity() {
        last = nil
        fields.removeAll(keepingCapacity: true)
    }

    /// Sets a field as the subscript does, and makes it the last one.
    package mutating func set(_ trailing: TrailingField) {
        if contains(trailing.field.name) { remove(trailing.field.name) }
        moveLast()
        last = trailing
    }

    private mutating func moveLast() {
        guard let trailing = last else { return }
        last = nil
        fields.append(trailing.field)
    }

    /// Makes room for this many fields, at most for 1,024 of them.
    public mutating func reserveCapacity(_ count: Int) {
        fields.reserveCapacity(Swift.min(Swift.max(0, count), 1024))
    }
}

extension HTTPFields: RandomAccessCollection {
    /// The first position.
    public var startIndex: Int { fields.startIndex }
    /// The position past the last.
    public var endIndex: Int { last == nil ? fields.endIndex : fields.endIndex + 1 }

    /// The field at a position.
    public subscript(position: Int) -> HTTPField {
        if position == fields.endIndex, let last { return last.field }
        return fields[position]
    }
}

extension HTTPFields: Hashable {
    /// Whether two lists have the same fields in the same order.
    public static func == (a: Self, b: Self) -> Bool {
        guard a.last != nil || b.last != nil else { return a.fields == b.fields }
        return a.elementsEqual(b)
    }

    /// Hashes the fields in their order.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for field in self { hasher.combine(field) }
    }
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
        "[" + map { "\($0.name): …" }.joined(separator: ", ") + "]"
    }
}
