public import GatewayCore

/// An acquirer whose token endpoint is discovered from the issuer when it is first needed.
///
/// ```swift
/// let acquirer = DiscoveredTokenAcquirer(discovery) { metadata in
///     ClientCredentials(endpoint: try TokenEndpoint(metadata, client: client, transport: tokenTransport))
/// }
/// ```
public struct DiscoveredTokenAcquirer: TokenAcquirer {
    /// Creates the acquirer from the metadata of a server.
    public typealias Make = @Sendable (AuthorizationServerMetadata) throws -> any TokenAcquirer

    private let discovery: AuthorizationServerDiscovery
    private let make: Make
    private let isSingleUse: Bool
    /// Whether the acquirer can obtain a token with more scopes from the token key alone.
    public let canStepUp: Bool
    /// The binding of its tokens.
    public let binding: DPoPBinding?

    /// Creates an acquirer that wraps one that needs metadata.
    ///
    /// - Parameters:
    ///   - discovery: the discovery of the server.
    ///   - binding: the binding; it must be the one of the wrapped acquirer.
    ///   - canStepUp: see ``TokenAcquirer/canStepUp``; `false` for refresh tokens.
    ///   - isSingleUse: see ``TokenAcquirer/isSingleUse(after:)``; `false` for client credentials and assertions.
    ///   - make: creates the wrapped acquirer.
    public init(
        _ discovery: AuthorizationServerDiscovery, binding: DPoPBinding? = nil, canStepUp: Bool = true,
        isSingleUse: Bool = true, make: @escaping Make
    ) {
        self.discovery = discovery
        self.make = make
        self.binding = binding
        self.canStepUp = canStepUp
        self.isSingleUse = isSingleUse
    }

    /// The value from the initializer, because the wrapped acquirer is not known before the discovery.
    public func isSingleUse(after previous: TokenGrant?) -> Bool { isSingleUse }

    /// Requests a grant.
    public func acquire(_ request: TokenRequest) async throws -> TokenGrant {
        try await acquirer(request.deadline).acquire(request)
    }

    /// Revokes a grant.
    public func revoke(_ grant: TokenGrant, deadline: Deadline) async throws {
        try await acquirer(deadline).revoke(grant, deadline: deadline)
    }

    private func acquirer(_ deadline: Deadline) async throws -> any TokenAcquirer {
        let acquirer = try make(try await discovery.metadata(deadline: deadline))
        guard acquirer.binding === binding else {
            throw NetworkError(
                .credentialMisconfigured, "The endpoint and its acquirer must have the same DPoP binding.")
        }
        return acquirer
    }
}
