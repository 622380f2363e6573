public import GatewayJSON

/// A value on the heap. Why: moving large nested values needs much code, and recursive value types need indirection.
@_spi(Generated) public struct Boxed<Value> {
    fileprivate final class Storage {
        let value: Value
        init(_ value: Value) { self.value = value }
    }

    private let storage: Storage

    /// Moves a value to the heap.
    public init(_ value: Value) { storage = Storage(value) }

    /// Moves a value to the heap; `nil` for `nil`.
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
    /// Decodes the value.
    public init(json: JSONElement) throws(JSONError) { self.init(try Value(json: json)) }
}

extension Boxed: Encodable where Value: JSONEncodable {}
extension Boxed: JSONEncodable where Value: JSONEncodable {
    /// Encodes the value.
    public func write(to writer: inout JSONWriter) { value.write(to: &writer) }
}

extension Field {
    /// The field with its value on the heap.
    @_spi(Generated) public func boxed() -> Field<Boxed<Value>> { map { Boxed($0) } }

    /// The field with the value itself.
    @_spi(Generated) public func unboxed<Content>() -> Field<Content> where Value == Boxed<Content> {
        map { $0.value }
    }
}
