public import GatewayJSON

extension RequestBuilder {
    /// Adds a primitive in style `form`; `nil` is omitted.
    public mutating func query<Value: ParameterValue>(_ name: StaticString, _ value: Value?) {
        guard let value else { return }
        append(name, PercentEncoding.encode(self.text(name, value)))
    }

    /// Adds a primitive without encoding reserved characters (`allowReserved`); `nil` is omitted.
    public mutating func queryReserved<Value: ParameterValue>(_ name: StaticString, _ value: Value?) {
        guard let value else { return }
        append(name, PercentEncoding.encode(self.text(name, value), .reserved))
    }

    /// Adds an array; `nil` and an empty array are omitted.
    public mutating func queryArray<Value: ParameterValue>(
        _ name: StaticString, _ values: [Value]?, _ style: ParameterStyle
    ) {
        guard let values, !values.isEmpty else { return }
        for piece in pieces(name, values, style) { query.append((name, piece)) }
    }

    /// Adds a value as JSON; `nil` is omitted.
    public mutating func queryJSON<Value: JSONEncodable>(_ name: StaticString, _ value: Value?) {
        guard let value, let text = jsonText(value) else { return }
        append(name, PercentEncoding.encode(text))
    }

    /// The encoded `name=value` pair of a parameter; `nil` if the parameter is not set.
    func queryPart(_ name: StaticString) -> String? {
        query.first { "\($0.name)" == "\(name)" }?.text
    }

    /// Replaces the value of a parameter of style `form`.
    mutating func replaceQuery(_ name: StaticString, _ value: String) {
        query.removeAll { "\($0.name)" == "\(name)" }
        query(name, value)
    }

    private mutating func append(_ name: StaticString, _ text: String) {
        query.append((name, PercentEncoding.encode("\(name)") + "=" + text))
    }

    mutating func jsonText(_ value: some JSONEncodable) -> String? {
        do throws(JSONError) {
            return String(decoding: try value.jsonBytes(), as: UTF8.self)
        } catch {
            fail("A parameter cannot be written as JSON: \(error.message).")
            return nil
        }
    }
}
