/// Reads the members of an object by name, fastest in the order in which they were written.
///
/// Members that are not asked for are ignored.
public struct JSONObject: Sendable {
    let document: JSONDocument
    let index: Int
    /// Where the last hit ended: the next name asked for is most likely there.
    private var cursor: Int
    /// As in ``JSONElement/hidden``.
    let hidden: UInt64

    init(document: JSONDocument, index: Int, hidden: UInt64) {
        self.document = document
        self.index = index
        self.hidden = hidden
        cursor = index + 1
    }

    /// How many members there are.
    public var count: Int { document.entries[index].length }

    private var element: JSONElement { JSONElement(document: document, index: index, hidden: hidden) }

    private var end: Int { document.end(of: index) }

    /// The member of a name; nil when there is none.
    public mutating func find(_ key: StaticString) -> JSONElement? {
        guard let value = search(key, from: cursor, to: end) ?? search(key, from: index + 1, to: cursor)
        else { return nil }
        cursor = document.end(of: value)
        return JSONElement(document: document, index: value, hidden: hidden &<< 1)
    }

    private func search(_ key: StaticString, from start: Int, to end: Int) -> Int? {
        var index = start
        while index < end {
            if document.key(at: index, equals: key) { return index + 1 }
            index = document.end(of: index + 1)
        }
        return nil
    }

    private mutating func present(_ key: StaticString) throws(JSONError) -> JSONElement {
        guard let element = find(key) else {
            throw JSONError(.missing, .fixed("required property is missing"), at: .member(element, key))
        }
        return element
    }

    /// A required string.
    public mutating func string(_ key: StaticString) throws(JSONError) -> String {
        try present(key).string()
    }

    /// A required integer.
    public mutating func int(_ key: StaticString) throws(JSONError) -> Int {
        try present(key).integer(Int.self)
    }

    /// A required floating-point number.
    public mutating func double(_ key: StaticString) throws(JSONError) -> Double {
        try present(key).double()
    }

    /// A required boolean.
    public mutating func bool(_ key: StaticString) throws(JSONError) -> Bool {
        try present(key).bool()
    }

    /// A required member.
    public mutating func required<Value: JSONDecodable>(_ key: StaticString) throws(JSONError) -> Value {
        try Value(json: present(key))
    }

    /// A required member that may be `null`.
    public mutating func nullable<Value: JSONDecodable>(_ key: StaticString) throws(JSONError) -> Value? {
        let element = try present(key)
        return element.isNull ? nil : try Value(json: element)
    }

    /// A member that may be absent; `null` counts as absent.
    public mutating func optional<Value: JSONDecodable>(_ key: StaticString) throws(JSONError) -> Value? {
        guard let element = find(key), !element.isNull else { return nil }
        return try Value(json: element)
    }

    /// A member that may be absent, and anything: `null` is a value as well.
    public mutating func any(_ key: StaticString) throws(JSONError) -> JSONValue? {
        guard let element = find(key) else { return nil }
        return try JSONValue(json: element)
    }

    /// A member of which it matters whether it is absent or `null`.
    public mutating func field<Value: JSONDecodable>(_ key: StaticString) throws(JSONError) -> Field<Value> {
        guard let element = find(key) else { return .absent }
        return element.isNull ? .null : .value(try Value(json: element))
    }

    /// All members, by name, but those named.
    ///
    /// - Throws: `duplicateKey` if two names differ only in their bytes, as a composed and a decomposed `é` do: a
    ///   dictionary would keep one of them.
    public func additional<Value: JSONDecodable>(
        _ known: [String]
    ) throws(JSONError) -> [String: Value] {
        var result = [String: Value](minimumCapacity: known.isEmpty ? count : 0)
        let hidden = hidden &<< 1 | 1
        let end = end
        var key = index + 1
        while key < end {
            let name = document.text(at: key)
            if known.isEmpty || !known.contains(where: { $0.utf8.elementsEqual(name.utf8) }) {
                let value = try Value(json: JSONElement(document: document, index: key + 1, hidden: hidden))
                guard result.updateValue(value, forKey: name) == nil else {
                    throw JSONError(
                        .duplicateKey, .fixed("duplicate key: two names are canonically equivalent"),
                        at: .value(element))
                }
            }
            key = document.end(of: key + 1)
        }
        return result
    }

    /// All members, in the order of the document. Errors show the position of a member in place of its name.
    public var members: some Sequence<(name: String, element: JSONElement)> {
        let document = document
        let end = end
        let hidden = hidden &<< 1 | 1
        return sequence(state: index + 1) { key -> (name: String, element: JSONElement)? in
            guard key < end else { return nil }
            let name = document.text(at: key)
            let element = JSONElement(document: document, index: key + 1, hidden: hidden)
            key = document.end(of: key + 1)
            return (name, element)
        }
    }
}
