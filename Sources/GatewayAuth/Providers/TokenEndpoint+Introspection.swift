public import GatewayCore
public import GatewayJSON

/// The response to a token introspection (RFC 7662 §2.2).
public struct TokenIntrospection: Sendable {
    /// Whether the token is active. An inactive token has no other members.
    public let isActive: Bool
    /// The members of the response, such as `scope`, `client_id`, `sub`, `exp`.
    public let members: [String: JSONValue]

    /// The scopes of the token.
    public var scopes: [String] {
        members["scope"]?.string?.split(separator: " ").map(String.init) ?? []
    }
}

extension TokenIntrospection: Redacted {
    /// Whether the token is active. Contains no data of the server.
    public var description: String { isActive ? "active token" : "inactive token" }
}

extension TokenEndpoint {
    /// Requests information about a token (RFC 7662). The request is sent once.
    ///
    /// - Parameters:
    ///   - token: an access token or refresh token.
    ///   - hint: the type of the token, if known: `access_token` or `refresh_token`.
    ///   - deadline: when to stop waiting for the response.
    /// - Throws: ``GatewayCore/NetworkError`` as ``grant(_:spends:deadline:)``, and with the code
    ///   `credentialMisconfigured` if there is no introspection endpoint.
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
