public import GatewayJSON

extension RequestBuilder {
    /// Adds a primitive in style `form`; `nil` is omitted.
    public mutating func query<Value: ParameterValue>(_ name: StaticString, _ value: Value?) {
        guard let value else { return }
        append(name, "=", PercentEncoding.encode(self.text(name, value)))
    }

    /// Adds a primitive without encoding reserved characters (`allowReserved`); `nil` is omitted.
    public mutating func queryReserved<Value: ParameterValue>(_ name: StaticString, _ value: Value?) {
        guard let value else { return }
        append(name, "=", PercentEncoding.encode(self.text(name, value), .reserved))
    }

    /// Adds an array; `nil` and an empty array are omitted.
    public mutating func queryArray<Value: ParameterValue>(
        _ name: StaticString, _ values: [Value]?, _ style: QueryArrayStyle
    ) {
        guard let values, !values.isEmpty else { return }
        let parts = values.map { PercentEncoding.encode(self.text(name, $0)) }
        if style == .formExploded {
            for part in parts { append(name, "=", part) }
        } else {
            append(name, "=", parts.joined(separator: style.separator))
        }
    }

    /// Adds a value as JSON; `nil` is omitted.
    public mutating func queryJSON<Value: JSONEncodable>(_ name: StaticString, _ value: Value?) {
        guard let value, let text = jsonText(value) else { return }
        append(name, "=", PercentEncoding.encode(text))
    }

    /// The encoded `name=value` pair of a parameter; `nil` if there is none.
    func queryPart(_ name: StaticString) -> String? {
        query.first { "\($0.name)" == "\(name)" }?.text
    }

    /// Replaces the value of a parameter of style `form`.
    mutating func replaceQuery(_ name: StaticString, _ value: String) {
        query.removeAll { "\($0.name)" == "\(name)" }
        query(name, value)
    }

    private mutating func append(_ name: StaticString, _ separator: String, _ text: String) {
        query.append((name, PercentEncoding.encode("\(name)") + separator + text))
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
