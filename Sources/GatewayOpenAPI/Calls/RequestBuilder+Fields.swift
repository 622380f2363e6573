internal import GatewayCore
public import GatewayJSON

extension RequestBuilder {
    /// A primitive as header field; `nil` leaves it out.
    public mutating func header<Value: ParameterValue>(_ name: StaticString, _ value: Value?) {
        guard let value else { return }
        field(name, self.text(name, value))
    }

    /// The idempotency key of the call. It takes precedence over the options of the call; without a value, a key of the
    /// options is sent, otherwise a new one.
    public mutating func idempotencyKey<Value: ParameterValue>(_ name: StaticString, _ value: Value?) {
        guard let value else { return }
        let text = self.text(name, value)
        if isField(name, text) { givenKey = text }
    }

    /// An array as header field, in style `simple`; `nil` and no element leave it out.
    public mutating func headerArray<Value: ParameterValue>(_ name: StaticString, _ values: [Value]?) {
        guard let values, !values.isEmpty else { return }
        field(name, values.map { self.text(name, $0) }.joined(separator: ","))
    }

    /// Any value as header field, as JSON; `nil` leaves it out.
    public mutating func headerJSON<Value: JSONEncodable>(_ name: StaticString, _ value: Value?) {
        guard let value, let text = jsonText(value) else { return }
        field(name, text)
    }

    /// A primitive as cookie; `nil` leaves it out.
    public mutating func cookie<Value: ParameterValue>(_ name: StaticString, _ value: Value?) {
        guard let value else { return }
        cookies.append(
            PercentEncoding.encode("\(name)") + "=" + PercentEncoding.encode(self.text(name, value)))
    }

    mutating func field(_ name: StaticString, _ text: String) {
        if isField(name, text) { fields.append(HTTPField(HTTPField.Name("\(name)"), text)) }
    }

    /// Whether a text can be the value of a header field. Otherwise the call fails.
    private mutating func isField(_ name: StaticString, _ text: String) -> Bool {
        if HTTPField(HTTPField.Name("\(name)"), text).isValid { return true }
        fail("The header parameter '\(name)' has a character that is not allowed in a header field.")
        return false
    }
}
