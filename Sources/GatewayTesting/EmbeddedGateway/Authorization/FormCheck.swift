import GatewayCore

/// What holds for every form that the authorization server takes.
enum FormCheck {
    /// RFC 6749 §3.2: parameters must not be repeated, except those that RFC 8693 §2.1 lets repeat.
    static func check(
        _ request: EmbeddedGateway.Request, _ parameters: [(name: String, value: String)]
    ) throws(TokenError) {
        guard isForm(request.fields[.contentType]) else {
            throw TokenError("invalid_request", "The content must be a form.")
        }
        let repeatable: Set<String> = ["resource", "audience"]
        let single = parameters.filter { !repeatable.contains($0.name) }
        guard Set(single.map(\.name)).count == single.count else {
            throw TokenError("invalid_request", "A parameter occurs more than once.")
        }
    }

    private static func isForm(_ contentType: String?) -> Bool {
        guard let contentType else { return false }
        let type = String(contentType.prefix { $0 != ";" }).trimmingHTTPWhitespace()
        return HTTPSyntax.equalIgnoringCase(type, "application/x-www-form-urlencoded")
    }
}
