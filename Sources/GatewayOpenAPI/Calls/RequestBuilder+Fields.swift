internal import GatewayCore
public import GatewayJSON

extension RequestBuilder {
    /// Adds a header field with a primitive value; `nil` is omitted.
    public mutating func header<Value: ParameterValue>(_ name: StaticString, _ value: Value?) {
        guard let value else { return }
        field(name, self.text(name, value))
    }

    /// Requests one media type of a success; `nil` requests all that are documented.
    ///
    /// - Parameter failures: the media types of failures, one per line. They have a lower weight.
    public mutating func accept(_ mediaType: String?, _ failures: StaticString = "") {
        guard let mediaType else { return }
        let others = "\(failures)".split(separator: "\n").filter { $0 != mediaType }
        fields[.accept] = ([mediaType] + others.map { $0 + ";q=0.5" }).joined(separator: ", ")
    }

    /// Sets the idempotency key of the call. It takes precedence over the key in the call options. If it is `nil`, the
    /// key in the options is sent, otherwise a new one.
    public mutating func idempotencyKey<Value: ParameterValue>(_ name: StaticString, _ value: Value?) {
        guard let value else { return }
        let text = self.text(name, value)
        if isField(name, text) { givenKey = text }
    }

    /// Adds a header field with an array in style `simple`; `nil` and an empty array are omitted.
    public mutating func headerArray<Value: ParameterValue>(_ name: StaticString, _ values: [Value]?) {
        guard let values, !values.isEmpty else { return }
        field(name, values.map { self.text(name, $0) }.joined(separator: ","))
    }

    /// Adds a header field with a value as JSON; `nil` is omitted.
    public mutating func headerJSON<Value: JSONEncodable>(_ name: StaticString, _ value: Value?) {
        guard let value, let text = jsonText(value) else { return }
        field(name, text)
    }

    /// Adds a cookie with a primitive value; `nil` is omitted.
    public mutating func cookie<Value: ParameterValue>(_ name: StaticString, _ value: Value?) {
        guard let value else { return }
        cookies.append(
            PercentEncoding.encode("\(name)") + "=" + PercentEncoding.encode(self.text(name, value)))
    }

    /// Adds a cookie with a primitive value without encoding reserved characters (`allowReserved`), except `,` and
    /// `;`; `nil` is omitted.
    public mutating func cookieReserved<Value: ParameterValue>(_ name: StaticString, _ value: Value?) {
        guard let value else { return }
        let text = PercentEncoding.encode(self.text(name, value), .reservedInCookie)
        cookies.append(PercentEncoding.encode("\(name)") + "=" + text)
    }

    mutating func field(_ name: StaticString, _ text: String) {
        if isField(name, text) { fields.append(HTTPField(HTTPField.Name("\(name)"), text)) }
    }

    /// Whether a text is a valid field value. If not, the call fails.
    private mutating func isField(_ name: StaticString, _ text: String) -> Bool {
        if HTTPField(HTTPField.Name("\(name)"), text).isValid { return true }
        fail("The header parameter '\(name)' has a character that is not allowed in a header field.")
        return false
    }
}
