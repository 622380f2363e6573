public import GatewayJSON

/// A value on the heap: large nested values make large code where they are moved, and recursive ones have no size.
@_spi(Generated) public struct Boxed<Value> {
    fileprivate final class Storage {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    private let storage: Storage

    /// Puts a value on the heap.
    public init(_ value: Value) { storage = Storage(value) }

    /// Puts a value on the heap if there is one.
    public init?(optional value: Value?) {
        guard let value else { return nil }
        self.init(value)
    }

    /// The value.
    public var value: Value { storage.value }
}

extension Boxed.Storage: Sendable where Value: Sendable {}
extension Boxed: Sendable where Value: Sendable {}

extension Boxed: Equatable where Value: Equatable {
    /// Compares the values.
    public static func == (left: Boxed, right: Boxed) -> Bool {
        left.storage === right.storage || left.value == right.value
    }
}

extension Boxed: Hashable where Value: Hashable {
    /// Hashes the value.
    public func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}

extension Boxed: Decodable where Value: JSONDecodable {}
extension Boxed: JSONDecodable where Value: JSONDecodable {
    /// Reads the value.
    public init(json: JSONElement) throws(JSONError) { self.init(try Value(json: json)) }
}

extension Boxed: Encodable where Value: JSONEncodable {}
extension Boxed: JSONEncodable where Value: JSONEncodable {
    /// Writes the value.
    public func write(to writer: inout JSONWriter) { value.write(to: &writer) }
}

extension Field {
    /// The field with its value on the heap.
    @_spi(Generated) public func boxed() -> Field<Boxed<Value>> { map { Boxed($0) } }

    /// The field with its value taken from the heap.
    @_spi(Generated) public func unboxed<Content>() -> Field<Content> where Value == Boxed<Content> {
        map { $0.value }
    }
}
