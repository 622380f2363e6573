/// A type that is read from the elements of a JSON array, each with its own type.
public protocol JSONTupleDecodable: JSONDecodable {
    /// Reads the elements of an array.
    init(items: inout JSONTuple) throws(JSONError)
}

extension JSONTupleDecodable {
    /// Reads the elements of an array.
    public init(json: JSONElement) throws(JSONError) {
        var items = JSONTuple(json, try json.elements())
        try self.init(items: &items)
    }
}

/// Reads the elements of an array in order.
public struct JSONTuple: Sendable {
    private let array: JSONElement
    private var elements: JSONElements.Iterator

    init(_ array: JSONElement, _ elements: JSONElements) {
        self.array = array
        self.elements = elements.makeIterator()
    }

    private mutating func present() throws(JSONError) -> JSONElement {
        guard let element = elements.next() else {
            throw JSONError(.missing, .fixed("required element is missing"), at: .value(array))
        }
        return element
    }

    /// A required element.
    public mutating func required<Value: JSONDecodable>() throws(JSONError) -> Value {
        try Value(json: present())
    }

    /// A required element that may be `null`.
    public mutating func nullable<Value: JSONDecodable>() throws(JSONError) -> Value? {
        let element = try present()
        return element.isNull ? nil : try Value(json: element)
    }

    /// An element that may be absent; `null` counts as absent.
    public mutating func optional<Value: JSONDecodable>() throws(JSONError) -> Value? {
        guard let element = elements.next(), !element.isNull else { return nil }
        return try Value(json: element)
    }

    /// An element that may be absent, and anything: `null` is a value as well.
    public mutating func any() throws(JSONError) -> JSONValue? {
        try elements.next().map { element throws(JSONError) in try JSONValue(json: element) }
    }

    /// An element of which it matters whether it is absent or `null`.
    public mutating func field<Value: JSONDecodable>() throws(JSONError) -> Field<Value> {
        guard let element = elements.next() else { return .absent }
        return element.isNull ? .null : .value(try Value(json: element))
    }

    /// All further elements.
    public mutating func rest<Value: JSONDecodable>() throws(JSONError) -> [Value] {
        var result: [Value] = []
        while let element = elements.next() { result.append(try Value(json: element)) }
        return result
    }
}
