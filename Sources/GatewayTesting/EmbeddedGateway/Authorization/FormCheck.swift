import GatewayCore

/// Common checks for all forms that the authorization server receives.
enum FormCheck {
    /// Checks that no parameter is repeated (RFC 6749 §3.2), except those for which RFC 8693 §2.1 allows it.
    static func check(
        _ request: EmbeddedGateway.Request, _ parameters: [(name: String, value: String)]
    ) throws(TokenError) {
        guard request.fields.mediaType == "application/x-www-form-urlencoded" else {
            throw TokenError("invalid_request", "The content must be a form.")
        }
        let repeatable: Set<String> = ["resource", "audience"]
        let single = parameters.filter { !repeatable.contains($0.name) }
        guard Set(single.map(\.name)).count == single.count else {
            throw TokenError("invalid_request", "A parameter occurs more than once.")
        }
    }
}
