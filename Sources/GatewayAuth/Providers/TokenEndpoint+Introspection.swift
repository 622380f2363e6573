public import GatewayCore
public import GatewayJSON

/// The server's response about a token (RFC 7662 §2.2).
public struct TokenIntrospection: Sendable {
    /// Whether the token is active. For an inactive token there are no other members.
    public let isActive: Bool
    /// The other members of the response: `scope`, `client_id`, `sub`, `exp` and so on.
    public let members: [String: JSONValue]

    /// The scopes of the token.
    public var scopes: [String] {
        members["scope"]?.string?.split(separator: " ").map(String.init) ?? []
    }
}

extension TokenIntrospection: Redacted {
    /// Whether the token is active; nothing that the server wrote.
    public var description: String { isActive ? "active token" : "inactive token" }
}

extension TokenEndpoint {
    /// Asks the server about a token (RFC 7662), once.
    ///
    /// - Parameters:
    ///   - token: an access token or refresh token.
    ///   - hint: the type of the token, where it is known: `access_token` or `refresh_token`.
    ///   - deadline: when the response must be there.
    /// - Throws: ``GatewayCore/NetworkError``, as ``grant(_:spends:deadline:)``; with the code `credentialMisconfigured`
    ///   also without an introspection endpoint.
    public func introspect(
        _ token: Secret, hint: String? = nil, deadline: Deadline
    ) async throws(NetworkError) -> TokenIntrospection {
        guard let introspection else {
            throw NetworkError(
                .credentialMisconfigured, .endpointMissing(.introspection, isDiscovered: isDiscovered),
                isDiscovered
                    ? "The issuer's metadata has no introspection endpoint."
                    : "No introspection endpoint is configured.", origin: origin)
        }
        let parameters = [("token", token.exposed)] + (hint.map { [("token_type_hint", $0)] } ?? [])
        let response = try await post(
            parameters, to: introspection, .introspection, operation: "introspect",
            deadline: deadline)
        let members = try response.object()
        guard let isActive = members["active"]?.bool else {
            throw NetworkError(
                .tokenResponseMalformed, .notAnOAuthResponse(.introspection),
                "The response of the introspection endpoint has no boolean member `active`.",
                origin: introspection.origin, status: response.status)
        }
        return TokenIntrospection(isActive: isActive, members: isActive ? members : [:])
    }
}
