/// A type that can be written as a JSON value.
///
/// Generated models conform. Every conforming type is `Encodable` with other encoders too.
public protocol JSONEncodable: Encodable {
    /// Writes the value, one JSON value exactly.
    func write(to writer: inout JSONWriter)
}

/// A type that is written as the members of a JSON object.
public protocol JSONObjectEncodable: JSONEncodable {
    /// Writes the members, without the braces.
    func write(fields writer: inout JSONWriter)
}

/// A type that is read from and written as a JSON value.
public typealias JSONCodable = JSONDecodable & JSONEncodable

/// A type that is read from and written as the members of a JSON object.
public typealias JSONObjectCodable = JSONObjectDecodable & JSONObjectEncodable

extension JSONObjectEncodable {
    /// Writes the members between braces.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        write(fields: &writer)
        writer.endObject()
    }
}

extension JSONEncodable {
    /// The value's JSON, in UTF-8.
    ///
    /// - Throws: `notRepresentable`, for a floating-point number that is not finite.
    public func jsonBytes() throws(JSONError) -> [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return try writer.finished()
    }

    /// The bridge to other encoders: they get what the value's JSON says.
    public func encode(to encoder: any Encoder) throws {
        try JSONValue(jsonBytes: jsonBytes()).encode(to: encoder)
    }
}
