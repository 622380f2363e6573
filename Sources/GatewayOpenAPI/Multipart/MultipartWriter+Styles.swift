internal import GatewayCore
public import GatewayJSON

/// Parts in a style of the query, and header fields of parts (OpenAPI 3.2, Encoding Object).
extension MultipartWriter {
    /// Writes a value in a style: one part without a media type for each pair of name and value; `nil` is omitted.
    /// Nothing is percent-encoded (OpenAPI 3.2, Percent-Encoding and `form-data`).
    @_spi(Generated) public mutating func styled<Value: JSONEncodable>(
        _ name: String, _ value: Value?, _ style: ParameterStyle
    ) {
        guard let value else { return }
        guard members == nil else { return note(name, value) }
        do throws(JSONError) {
            try parts(name, JSONDocument(value.jsonBytes()).root, style)
        } catch {
            failure = failure ?? error.message
        }
    }

    /// Sets a header field of each part of a property that is written later.
    ///
    /// - Parameters:
    ///   - property: The name of the property.
    ///   - value: A primitive; `nil` is omitted.
    ///   - fallback: The value in place of `nil`.
    ///   - isRequired: Whether a part of the property cannot be written without the field.
    @_spi(Generated) public mutating func field<Value: ParameterValue>(
        _ property: String, _ name: StaticString, _ value: Value?, _ fallback: StaticString? = nil,
        isRequired: Bool = false
    ) {
        if let value {
            if !value.hasParameterText { failure = failure ?? "a header field of a part has no notation" }
            setField(property, "\(name)", value.parameterText)
        } else if let fallback {
            setField(property, "\(name)", "\(fallback)")
        } else if isRequired {
            missingFields.insert(Array(property.utf8))
        }
    }

    /// Sets a header field with a value of any shape; `nil` is omitted.
    @_spi(Generated) public mutating func fieldValue<Value: JSONEncodable>(
        _ property: String, _ name: StaticString, _ value: Value?, _ style: ParameterStyle,
        isRequired: Bool = false
    ) {
        guard let value else {
            if isRequired { missingFields.insert(Array(property.utf8)) }
            return
        }
        do throws(JSONError) {
            let serializer = ParameterSerializer(name: "\(name)", style: style, allowed: nil)
            let pieces = try serializer.pieces(JSONDocument(value.jsonBytes()).root)
            if !pieces.isEmpty { setField(property, "\(name)", pieces.joined(separator: ",")) }
        } catch {
            failure = failure ?? error.message
        }
    }

    /// Sets a header field with a value as JSON; `nil` is omitted.
    @_spi(Generated) public mutating func fieldJSON<Value: JSONEncodable>(
        _ property: String, _ name: StaticString, _ value: Value?, isRequired: Bool = false
    ) {
        guard let value else {
            if isRequired { missingFields.insert(Array(property.utf8)) }
            return
        }
        do throws(JSONError) {
            setField(property, "\(name)", String(decoding: try value.jsonBytes(), as: UTF8.self))
        } catch {
            failure = failure ?? error.message
        }
    }

    mutating func parts(_ name: String, _ element: JSONElement, _ style: ParameterStyle) throws(JSONError) {
        for part in try ParameterSerializer(name: name, style: style, allowed: nil).parts(element) {
            begin(part.name, of: name, filename: nil, contentType: nil)
            pending += part.text.utf8
            end()
        }
    }

    mutating func setField(_ property: String, _ name: String, _ value: String) {
        guard HTTPSyntax.isToken(name.utf8), HTTPSyntax.isFieldValue(value.utf8) else {
            failure = failure ?? "a header field of a part is malformed"
            return
        }
        fieldLines[Array(property.utf8), default: ""] += "\(name): \(value)\r\n"
    }
}
