/// The header or trailer fields of a message, in order. A name may occur several times (RFC 9110 §5.3).
public struct HTTPFields: Sendable {
    private var fields: [HTTPField] = []
    /// The field after those in the array.
    private var last: TrailingField?

    /// Creates an empty list.
    public init() {}

    /// Creates a list with its own storage.
    package init(copying other: HTTPFields) {
        fields.reserveCapacity(other.count)
        fields.append(contentsOf: other)
    }

    /// The value of a field: `nil` if it is missing, the values joined by `", "` if it occurs several times (RFC 9110
    /// §5.3). Setting a value replaces all occurrences; setting `nil` removes them.
    ///
    /// For a field that may occur once, equal values count once. If they differ, the field is treated as missing
    /// (`Content-Location`, `Date`, `ETag`, `Expires`, `Last-Modified`, `Retry-After`), or the first value is used
    /// (`Age`, `Strict-Transport-Security`).
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
            guard let index = index(of: name) else {
                return fields.append(HTTPField(name, newValue))
            }
            fields[index].value = newValue
            if fields[(index + 1)...].contains(where: { $0.name == name }) {
                fields = fields.enumerated().filter { $0.offset <= index || $0.element.name != name }
                    .map(\.element)
            }
        }
    }

    /// All values of a field, in order.
    public func values(for name: HTTPField.Name) -> [String] {
        filter { $0.name == name }.map(\.value)
    }

    /// Whether a field occurs.
    public func contains(_ name: HTTPField.Name) -> Bool {
        last?.field.name == name || index(of: name) != nil
    }

    // No closure and no iterator, which allocate in builds that are not optimized.
    private func index(of name: HTTPField.Name) -> Int? {
        var index = 0
        while index < fields.count {
            if fields[index].name == name { return index }
            index += 1
        }
        return nil
    }

    /// Appends a field. Fields with the same name are kept.
    public mutating func append(_ field: HTTPField) {
        moveLast()
        fields.append(field)
    }

    /// Appends a field. Fields with the same name are kept.
    public mutating func append(_ name: HTTPField.Name, _ value: String) {
        append(HTTPField(name, value))
    }

    /// Removes all occurrences of a field.
    public mutating func remove(_ name: HTTPField.Name) {
        if last?.field.name == name { last = nil }
        fields.removeAll { $0.name == name }
    }

    /// Removes all fields and keeps the storage.
    package mutating func removeAllKeepingCapacity() {
        last = nil
        fields.removeAll(keepingCapacity: true)
    }

    /// Sets a field like the subscript, and moves it to the end.
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

    /// Reserves storage for a number of fields, at most 1,024.
    public mutating func reserveCapacity(_ count: Int) {
        fields.reserveCapacity(Swift.min(Swift.max(0, count), 1024))
    }
}

extension HTTPFields: RandomAccessCollection {
    /// The first position.
    public var startIndex: Int { fields.startIndex }
    /// The position after the last field.
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

    /// Hashes the fields in order.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for field in self { hasher.combine(field) }
    }
}

extension HTTPFields: ExpressibleByDictionaryLiteral {
    /// Creates a list from a literal such as `[.accept: "application/json"]`, in the order of the literal.
    public init(dictionaryLiteral elements: (HTTPField.Name, String)...) {
        fields = elements.map { HTTPField($0.0, $0.1) }
    }
}

extension HTTPFields: Redacted {
    /// Only the names, because values may be secrets.
    public var description: String {
        "[" + map { "\($0.name): …" }.joined(separator: ", ") + "]"
    }
}
