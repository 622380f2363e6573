/// A type that a JSON value can be read into.
///
/// Generated models conform. Conform a type of your own to use it in their place, or beside them:
/// ```swift
/// struct ISBN: JSONDecodable {
///     var digits: String
///     init(json: JSONElement) throws(JSONError) {
///         digits = try json.string()
///         guard digits.utf8.count == 13 else { throw json.wrongFormat("an ISBN") }
///     }
/// }
/// ```
/// Every conforming type is `Decodable` with other decoders too.
public protocol JSONDecodable: Decodable {
    /// Reads a value.
    ///
    /// - Throws: ``JSONError`` with the path of what is missing or of the wrong type, format or range.
    init(json: JSONElement) throws(JSONError)
}

/// A type that is read from the members of a JSON object.
public protocol JSONObjectDecodable: JSONDecodable {
    /// Reads the members of an object.
    init(fields: inout JSONObject) throws(JSONError)
}

extension JSONObjectDecodable {
    /// Reads the members of an object.
    public init(json: JSONElement) throws(JSONError) {
        var object = try json.object()
        try self.init(fields: &object)
    }
}

extension JSONDecodable {
    /// Reads a value from bytes.
    ///
    /// - Throws: ``JSONError``, of the grammar or of what the value lacks; `tooComplex` when the branches of unions within
    ///   unions would be tried too many times.
    public init(jsonBytes bytes: [UInt8], limits: JSONLimits = JSONLimits()) throws(JSONError) {
        try self.init(jsonBytes: bytes, limits: limits, interruption: nil)
    }

    /// Reads a value from bytes until it is told to end.
    ///
    /// - Parameter interruption: returns why decoding is to end; asked every few thousand values, so that small
    ///   documents are always decoded.
    package init(
        jsonBytes bytes: [UInt8], limits: JSONLimits, interruption: (@Sendable () -> JSONError.Code?)?
    ) throws(JSONError) {
        do throws(JSONError) {
            let document = try JSONDocument(bytes, limits: limits, interruption: interruption)
            defer { document.watch?.end() }
            try self.init(json: document.root)
        } catch {
            throw error.withoutDocument
        }
    }

    /// The bridge to other decoders: what they give becomes JSON, and is read as such.
    public init(from decoder: any Decoder) throws {
        var writer = JSONWriter()
        try JSONValue(from: decoder).write(to: &writer)
        do throws(JSONError) {
            try self.init(json: JSONDocument(writer.finished()).root)
        } catch {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath, debugDescription: error.description,
                    underlyingError: error))
        }
    }
}
