/// A type that is written as a JSON array whose elements have their own types.
public protocol JSONTupleEncodable: JSONEncodable {
    /// Writes the elements.
    func write(items writer: inout JSONTupleWriter)
}

/// A type that is read from and written as a JSON array whose elements have their own types.
public typealias JSONTupleCodable = JSONTupleDecodable & JSONTupleEncodable

extension JSONTupleEncodable {
    /// Writes the elements between brackets.
    public func write(to writer: inout JSONWriter) {
        var items = JSONTupleWriter(writer)
        // The bytes have one owner at a time, so that they are not copied.
        writer = JSONWriter(capacity: 0)
        items.begin()
        write(items: &items)
        writer = items.ended()
    }
}

/// Writes the elements of an array in order. An element after an absent one cannot be written: it would be read as the
/// absent one.
public struct JSONTupleWriter: Sendable {
    private var writer: JSONWriter
    private var hasGap = false

    init(_ writer: JSONWriter) { self.writer = writer }

    mutating func begin() { writer.beginArray() }

    consuming func ended() -> JSONWriter {
        writer.endArray()
        return writer
    }

    /// An element.
    public mutating func required<Value: JSONEncodable>(_ value: Value) {
        guard !hasGap else { return writer.fail("an element of an array follows an absent one") }
        value.write(to: &writer)
    }

    /// An element that is written as `null` without a value.
    public mutating func nullable<Value: JSONEncodable>(_ value: Value?) { required(value) }

    /// An element that is absent without a value.
    public mutating func optional<Value: JSONEncodable>(_ value: Value?) {
        if let value { required(value) } else { hasGap = true }
    }

    /// An element that is absent, written as `null`, or written.
    public mutating func field<Value: JSONEncodable>(_ value: Field<Value>) {
        switch value {
        case .absent: hasGap = true
        case .null: nullable(Value?.none)
        case .value(let value): required(value)
        }
    }

    /// All further elements.
    public mutating func rest<Value: JSONEncodable>(_ values: [Value]) {
        for value in values { required(value) }
    }
}
