public import GatewayCore
public import GatewayJSON

/// What the server says of a token (RFC 7662 §2.2).
public struct TokenIntrospection: Sendable {
    /// Whether the token is good now. Of one that is not the server tells nothing more, and neither does this.
    public let isActive: Bool
    /// What else the server tells: `scope`, `client_id`, `sub`, `exp` and so on.
    public let members: [String: JSONValue]

    /// What the token allows.
    public var scopes: [String] {
        members["scope"]?.string?.split(separator: " ").map(String.init) ?? []
    }
}

extension TokenIntrospection: Redacted {
    /// Whether the token is good; nothing that the server wrote.
    public var description: String { isActive ? "active token" : "inactive token" }
}

extension TokenEndpoint {
    /// Asks the server about a token (RFC 7662), once.
    ///
    /// - Parameters:
    ///   - token: an access token or refresh token.
    ///   - hint: what it is, where that is known: `access_token` or `refresh_token`.
    ///   - deadline: when the answer must be there.
    /// - Throws: ``GatewayCore/NetworkError`` of category `authentication`; with the code `credentialMisconfigured`
    ///   where no introspection endpoint was given.
    public func introspect(
        _ token: Secret, hint: String? = nil, deadline: Deadline
    ) async throws(NetworkError) -> TokenIntrospection {
        guard let introspection else {
            throw NetworkError(
                .credentialMisconfigured, "No introspection endpoint was given.", origin: origin)
        }
        let parameters = [("token", token.exposed)] + (hint.map { [("token_type_hint", $0)] } ?? [])
        let response = try await post(
            parameters, to: introspection, operation: "introspect", deadline: deadline)
        let members = try response.object()
        guard case .bool(let isActive)? = members["active"] else {
            throw NetworkError(
                .tokenResponseMalformed, "The server does not say whether the token is active.",
                origin: introspection.origin, status: response.status)
        }
        return TokenIntrospection(isActive: isActive, members: isActive ? members : [:])
    }
}
