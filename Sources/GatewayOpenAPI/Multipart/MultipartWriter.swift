internal import GatewayCore
public import GatewayJSON
internal import GatewayPatterns

/// A type that can be encoded as the parts of a form. Generated models conform.
public protocol MultipartBody: Sendable {
    /// Writes the parts.
    func write(parts writer: inout MultipartWriter)
}

/// Writes the parts of `multipart/form-data` (RFC 7578).
public struct MultipartWriter: Sendable {
    /// A piece of the body, in order.
    enum Segment: Sendable {
        case bytes([UInt8])
        case body(HTTPBody)
    }

    private let boundary: String
    private var segments: [Segment] = []
    var pending: [UInt8] = []
    var failure: String?
    /// The lines of the header fields of parts, by the bytes of their property's name.
    var fieldLines: [[UInt8]: String] = [:]
    /// The properties without a required header field.
    var missingFields: Set<[UInt8]> = []
    /// If set, the parts are collected here as the members of an object, to be validated instead of sent. Files are
    /// `null`.
    var members: [ExactText: JSONValue]?

    /// Creates a writer that separates the parts with `boundary`, which must not occur in them.
    init(boundary: String) { self.boundary = boundary }

    /// Writes a part with a primitive; `nil` is omitted.
    ///
    /// - Parameter contentType: The media type of the part; `nil` for plain text.
    @_spi(Generated) public mutating func text<Value: ParameterValue>(
        _ name: String, _ value: Value?, _ contentType: StaticString? = nil
    ) {
        guard let value else { return }
        guard members == nil else { return note(name, value) }
        begin(name, filename: nil, contentType: contentType.map { "\($0)" })
        if !value.hasParameterText { failure = failure ?? "a part has no notation" }
        pending += value.parameterText.utf8
        end()
    }

    /// Writes one text part for each primitive.
    @_spi(Generated) public mutating func texts<Value: ParameterValue>(
        _ name: String, _ values: [Value]?, _ contentType: StaticString? = nil
    ) {
        guard members == nil else { return note(name, values) }
        for value in values ?? [] { text(name, value, contentType) }
    }

    /// Writes a part with JSON; `nil` is omitted.
    @_spi(Generated) public mutating func json<Value: JSONEncodable>(_ name: String, _ value: Value?) {
        guard let value else { return }
        guard members == nil else { return note(name, value) }
        begin(name, filename: nil, contentType: "application/json")
        do throws(JSONError) { pending += try value.jsonBytes() } catch { failure = failure ?? error.message }
        end()
    }

    /// Writes one JSON part for each value.
    @_spi(Generated) public mutating func jsons<Value: JSONEncodable>(
        _ name: String, _ values: [Value]?
    ) {
        guard members == nil else { return note(name, values) }
        for value in values ?? [] { json(name, value) }
    }

    /// Writes a value of any type: a primitive as text, an array as one part per element, any other value as JSON.
    /// `nil` and `null` are omitted.
    @_spi(Generated) public mutating func value<Value: JSONEncodable>(_ name: String, _ value: Value?) {
        guard let value else { return }
        guard members == nil else {
            note(name, value)
            if members?[ExactText(name)] == .null { members?[ExactText(name)] = nil }
            return
        }
        do throws(JSONError) {
            try fields(name, JSONDocument(value.jsonBytes()).root, isJSON: false)
        } catch {
            failure = failure ?? error.message
        }
    }

    /// Writes each value as ``value(_:_:)`` does.
    @_spi(Generated) public mutating func values<Value: JSONEncodable>(
        _ name: String, _ values: [Value]?
    ) {
        guard members == nil else { return note(name, values) }
        for value in values ?? [] { self.value(name, value) }
    }

    /// Writes a part with a file; `nil` is omitted.
    @_spi(Generated) public mutating func file(
        _ name: String, _ value: MultipartFile?,
        _ contentType: StaticString = "application/octet-stream"
    ) {
        guard let value else { return }
        guard members == nil else {
            members?[ExactText(name)] = .null
            return
        }
        begin(name, filename: value.filename, contentType: value.contentType ?? "\(contentType)")
        if let bytes = value.body.bytes {
            pending += bytes
        } else {
            segments.append(.bytes(pending))
            pending = []
            segments.append(.body(value.body))
        }
        end()
    }

    /// Writes one part for each file.
    @_spi(Generated) public mutating func files(
        _ name: String, _ values: [MultipartFile]?,
        _ contentType: StaticString = "application/octet-stream"
    ) {
        guard members == nil else {
            members?[ExactText(name)] = values.map { .array($0.map { _ in .null }) }
            return
        }
        for value in values ?? [] { file(name, value, contentType) }
    }

    /// The additional properties of a form, in the order of their names.
    ///
    /// - Parameter known: names of parts that are written otherwise. One of them among the properties cannot be written:
    ///   the form would have it twice.
    @_spi(Generated) public mutating func additional<Value>(
        _ properties: [String: Value], _ known: [String] = []
    ) -> [(name: String, value: Value)] {
        let isKnown = properties.keys.contains { name in
            known.contains { $0.isSame(as: name) }
        }
        if isKnown { failure = failure ?? "an additional part has the name of another one" }
        return properties.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
    }

    mutating func note<Value>(_ name: String, _ value: Value?) {
        guard let json = value as? any JSONEncodable, let bytes = try? json.jsonBytes() else { return }
        members?[ExactText(name)] = try? JSONValue(jsonBytes: bytes)
    }

    /// Writes a part with a file or a value; `nil` is omitted.
    @_spi(Generated) public mutating func fileOr<Value: JSONEncodable & Sendable>(
        _ name: String, _ value: MultipartFileOr<Value>?,
        _ contentType: StaticString = "application/octet-stream"
    ) {
        switch value {
        case .file(let file)?: self.file(name, file, contentType)
        case .value(let value)?: self.value(name, value)
        case nil: return
        }
    }

    /// Writes the parts of an object member; `null` is omitted.
    mutating func fields(_ name: String, _ element: JSONElement, isJSON: Bool) throws(JSONError) {
        switch element.type {
        case .null: return
        case .array where !isJSON:
            for element in try element.elements() {
                try fields(name, element, isJSON: element.type == .array)
            }
            return
        case .bool, .number, .string, .array, .object: break
        }
        let isText = !isJSON && element.type != .object
        begin(name, filename: nil, contentType: isText ? nil : "application/json")
        switch (isText, element.type) {
        case (true, .string): pending += try element.string().utf8
        default: pending += try JSONValue(json: element).jsonBytes()
        }
        end()
    }

    /// All segments, with the closing boundary.
    consuming func finished() -> [Segment] {
        pending += "--\(boundary)--\r\n".utf8
        segments.append(.bytes(pending))
        return segments
    }

    /// Begins a part.
    ///
    /// - Parameter property: The property that the part is one of; `nil` if it has the name of the part.
    mutating func begin(
        _ name: String, of property: String? = nil, filename: String?, contentType: String?
    ) {
        var head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.quoted(name))\""
        if let filename { head += "; filename=\"\(Self.quoted(filename))\"" }
        head += "\r\n"
        if let contentType {
            let isPlain = contentType.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
            if !isPlain { failure = failure ?? "a part's media type is malformed" }
            head += "Content-Type: \(contentType)\r\n"
        }
        if !missingFields.isEmpty, missingFields.contains(Array((property ?? name).utf8)) {
            failure = failure ?? "a required header field of a part is missing"
        }
        if !fieldLines.isEmpty { head += fieldLines[Array((property ?? name).utf8)] ?? "" }
        pending += (head + "\r\n").utf8
    }

    mutating func end() { pending += [0x0D, 0x0A] }

    /// Escapes a name as browsers do (WHATWG HTML, "multipart/form-data encoding algorithm").
    private static func quoted(_ name: String) -> String {
        var result = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"": result += "%22"
            case "\r": result += "%0D"
            case "\n": result += "%0A"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
