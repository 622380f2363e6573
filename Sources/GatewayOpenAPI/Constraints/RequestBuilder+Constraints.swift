internal import GatewayCore
public import GatewayJSON
internal import GatewayPatterns

extension RequestBuilder {
    /// Checks a value against a row of the rules before anything is sent. `nil` is not checked.
    ///
    /// - Parameter subject: `body`, or the location and name of the parameter.
    public mutating func check<Value: JSONEncodable>(
        _ rules: RequestRules, _ row: Int, _ subject: StaticString, _ value: Value?
    ) {
        guard let value else { return }
        // A value that cannot be encoded is reported by the method that encodes it.
        guard let document = try? JSONDocument(value.jsonBytes()) else { return }
        check(rules, row, subject, document)
    }

    /// Checks the parts of a multipart body. The number of files is checked, their content is not.
    public mutating func checkParts<Value: MultipartBody>(
        _ rules: RequestRules, _ row: Int, _ subject: StaticString, _ value: Value?
    ) {
        guard let value else { return }
        var writer = MultipartWriter(boundary: "")
        writer.members = [:]
        value.write(parts: &writer)
        guard let document = try? JSONDocument(Self.object(of: writer.members ?? [:])) else { return }
        check(rules, row, subject, document)
    }

    /// A JSON object with each of the names, also those that are canonically equivalent.
    private static func object(of members: [ExactText: JSONValue]) throws(JSONError) -> [UInt8] {
        var bytes = [UInt8(ascii: "{")]
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            bytes += try JSONValue.string(name.text).jsonBytes() + [UInt8(ascii: ":")] + value.jsonBytes()
        }
        return bytes + [UInt8(ascii: "}")]
    }

    private mutating func check(
        _ rules: RequestRules, _ row: Int, _ subject: StaticString, _ document: JSONDocument
    ) {
        var check = ConstraintCheck(rules, subject: "\(subject)")
        guard let found = try? check.violation(of: row, by: document.root) else { return }
        fail(
            NetworkError(
                .constraintViolated, "\(operation.id): The document does not allow this value: \(found)",
                underlying: found))
    }
}
