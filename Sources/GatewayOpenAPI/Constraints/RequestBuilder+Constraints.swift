internal import GatewayCore
public import GatewayJSON

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
        guard let members = writer.members,
            let document = try? JSONDocument(JSONValue.object(members).jsonBytes())
        else { return }
        check(rules, row, subject, document)
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
