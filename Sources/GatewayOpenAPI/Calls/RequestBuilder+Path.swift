public import GatewayJSON

extension RequestBuilder {
    /// Adds a primitive in style `simple`. It must not be empty.
    public mutating func path<Value: ParameterValue>(_ name: StaticString, _ value: Value) {
        simple(name, value, .unreserved)
    }

    /// Adds a primitive in style `simple` without encoding reserved characters (`allowReserved`), except `/`, `?`, `#`,
    /// `[` and `]`. It must not be empty.
    public mutating func pathReserved<Value: ParameterValue>(_ name: StaticString, _ value: Value) {
        simple(name, value, .reservedInPath)
    }

    private mutating func simple<Value: ParameterValue>(
        _ name: StaticString, _ value: Value, _ allowed: PercentEncoding.Allowed
    ) {
        let text = self.text(name, value)
        // With an empty value, the path would be that of another operation, such as the collection.
        if text.isEmpty { fail("The path parameter '\(name)' must not be empty.") }
        fill(PercentEncoding.encode(text, allowed))
    }

    /// Adds a primitive in style `label` or `matrix`.
    public mutating func pathStyled<Value: ParameterValue>(
        _ name: StaticString, _ value: Value, _ style: ParameterStyle, isReserved: Bool = false
    ) {
        pathArray(name, [value], style, isReserved: isReserved)
    }

    /// Adds an array.
    public mutating func pathArray<Value: ParameterValue>(
        _ name: StaticString, _ values: [Value], _ style: ParameterStyle, isReserved: Bool = false
    ) {
        let text = pieces(name, values, style, isReserved ? .reservedInPath : .unreserved).joined()
        if text.isEmpty, style == .simple { fail("The path parameter '\(name)' must not be empty.") }
        fill(text)
    }

    /// Adds a value as JSON.
    public mutating func pathJSON<Value: JSONEncodable>(_ name: StaticString, _ value: Value) {
        if let text = jsonText(value) { fill(PercentEncoding.encode(text)) }
    }

    /// The text of a value. If the value has no text, the call fails.
    mutating func text<Value: ParameterValue>(_ name: StaticString, _ value: Value) -> String {
        if !value.hasParameterText {
            fail("The parameter '\(name)' is not a finite number, or is out of the range of its format.")
        }
        return value.parameterText
    }

    /// The pieces of an array of primitives.
    mutating func pieces<Value: ParameterValue>(
        _ name: StaticString, _ values: [Value], _ style: ParameterStyle,
        _ allowed: PercentEncoding.Allowed = .unreserved
    ) -> [String] {
        let texts = values.map { PercentEncoding.encode(self.text(name, $0), allowed) }
        return ParameterSerializer(name: "\(name)", style: style, allowed: .unreserved).array(texts)
    }

    /// Replaces the next parameter in the path template.
    mutating func fill(_ text: String) {
        let template = Array("\(operation.path)".utf8)
        guard let open = template[templatePosition...].firstIndex(of: UInt8(ascii: "{")),
            let close = template[open...].firstIndex(of: UInt8(ascii: "}"))
        else { return fail("The path has no place for a parameter.") }
        path += String(decoding: template[templatePosition..<open], as: UTF8.self)
        path += text
        templatePosition = close + 1
    }
}
