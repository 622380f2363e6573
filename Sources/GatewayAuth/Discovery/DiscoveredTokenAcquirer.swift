public import GatewayCore

/// An acquirer whose token endpoint is found by the issuer's name when it is needed.
///
/// ```swift
/// let acquirer = DiscoveredTokenAcquirer(discovery) { metadata in
///     ClientCredentials(endpoint: try TokenEndpoint(metadata, client: client, transport: tokenTransport))
/// }
/// ```
public struct DiscoveredTokenAcquirer: TokenAcquirer {
    /// Makes the acquirer for a server's metadata.
    public typealias Make = @Sendable (AuthorizationServerMetadata) throws -> any TokenAcquirer

    private let discovery: AuthorizationServerDiscovery
    private let make: Make
    private let isSingleUse: Bool
    /// Whether a token of further scopes can be had by its key alone.
    public let canStepUp: Bool
    /// What its tokens are bound to.
    public let binding: DPoPBinding?

    /// Makes an acquirer of another that needs metadata.
    ///
    /// - Parameters:
    ///   - discovery: finds the server.
    ///   - binding: the binding that the other's endpoint is given.
    ///   - canStepUp: see ``TokenAcquirer/canStepUp``; `false` for refresh tokens.
    ///   - isSingleUse: see ``TokenAcquirer/isSingleUse(after:)``; `false` for client credentials and assertions.
    ///   - make: makes the other.
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

    /// What it was made with: the other is not known before the server is.
    public func isSingleUse(after previous: TokenGrant?) -> Bool { isSingleUse }

    /// Gets a grant.
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
