public import GatewayJSON

extension RequestBuilder {
    /// A primitive in style `form`; `nil` leaves it out.
    public mutating func query<Value: ParameterValue>(_ name: StaticString, _ value: Value?) {
        guard let value else { return }
        append(name, "=", PercentEncoding.encode(self.text(name, value)))
    }

    /// A primitive whose reserved characters stay as they are; `nil` leaves it out.
    public mutating func queryReserved<Value: ParameterValue>(_ name: StaticString, _ value: Value?) {
        guard let value else { return }
        append(name, "=", PercentEncoding.encode(self.text(name, value), .reserved))
    }

    /// An array; `nil` and no element leave it out.
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

    /// Any value, as JSON; `nil` leaves it out.
    public mutating func queryJSON<Value: JSONEncodable>(_ name: StaticString, _ value: Value?) {
        guard let value, let text = jsonText(value) else { return }
        append(name, "=", PercentEncoding.encode(text))
    }

    /// The encoded part of a parameter, with its name; `nil` when there is none.
    func queryPart(_ name: StaticString) -> String? {
        query.first { "\($0.name)" == "\(name)" }?.text
    }

    /// Gives a parameter of style `form` another value.
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
