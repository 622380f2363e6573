public import GatewayCore

/// The client credentials grant (RFC 6749 §4.4). Scopes and audiences come from the token key.
public struct ClientCredentials: TokenAcquirer {
    private let endpoint: TokenEndpoint

    /// Creates an acquirer for an endpoint.
    public init(endpoint: TokenEndpoint) { self.endpoint = endpoint }

    /// The endpoint and the client.
    var place: [String] { [endpoint.url, endpoint.client.clientID] }

    /// Requests a grant.
    public func acquire(_ request: TokenRequest) async throws -> TokenGrant {
        try await endpoint.grant(
            [("grant_type", "client_credentials")] + request.key.parameters, deadline: request.deadline)
    }

    /// `false`: the request can be repeated.
    public func isSingleUse(after previous: TokenGrant?) -> Bool { false }

    /// The binding of the endpoint.
    public var binding: DPoPBinding? { endpoint.binding }

    /// Revokes a grant (RFC 7009), if the revocation endpoint is known.
    public func revoke(_ grant: TokenGrant, deadline: Deadline) async throws {
        try await endpoint.revoke(grant, deadline: deadline)
    }
}

extension TokenKey {
    /// The parameters `scope` (RFC 6749 §3.3), `audience`, and `resource` (RFC 8707 §2) of the key.
    var parameters: [(String, String)] {
        (scopes.isEmpty ? [] : [("scope", scopes.joined(separator: " "))])
            + audiences.map { ("audience", $0) } + resources.map { ("resource", $0) }
    }
}
