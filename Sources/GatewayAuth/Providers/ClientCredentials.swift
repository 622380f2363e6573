public import GatewayCore

/// The client credentials grant: the client's own token (RFC 6749 §4.4). Scopes and audiences come from the key.
public struct ClientCredentials: TokenAcquirer {
    private let endpoint: TokenEndpoint

    /// Gets tokens from an endpoint.
    public init(endpoint: TokenEndpoint) { self.endpoint = endpoint }

    /// Gets a grant.
    public func acquire(_ request: TokenRequest) async throws -> TokenGrant {
        try await endpoint.grant(
            [("grant_type", "client_credentials")] + request.key.parameters, deadline: request.deadline)
    }

    /// `false`: it spends nothing.
    public func isSingleUse(after previous: TokenGrant?) -> Bool { false }

    /// The endpoint's.
    public var binding: DPoPBinding? { endpoint.binding }

    /// Revokes a grant where the endpoint was given a revocation endpoint (RFC 7009).
    public func revoke(_ grant: TokenGrant, deadline: Deadline) async throws {
        try await endpoint.revoke(grant, deadline: deadline)
    }
}

extension TokenKey {
    /// `scope` (RFC 6749 §3.3), `audience` and `resource` (RFC 8707 §2), where the key has any.
    var parameters: [(String, String)] {
        (scopes.isEmpty ? [] : [("scope", scopes.joined(separator: " "))])
            + audiences.map { ("audience", $0) } + resources.map { ("resource", $0) }
    }
}
