internal import GatewayCore
public import GatewayJSON

extension RequestBuilder {
    /// Checks a value by a row of a table before anything is sent; `nil` keeps all.
    ///
    /// - Parameter subject: `body`, or the parameter's place and name.
    public mutating func check<Value: JSONEncodable>(
        _ rules: RequestRules, _ row: Int, _ subject: StaticString, _ value: Value?
    ) {
        guard let value else { return }
        // A value that cannot be written is told by what writes it.
        guard let document = try? JSONDocument(value.jsonBytes()) else { return }
        check(rules, row, subject, document)
    }

    /// Checks the parts of a form; files count, and are not looked into.
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
