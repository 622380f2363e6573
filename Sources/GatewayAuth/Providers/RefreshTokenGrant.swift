public import GatewayCore

/// The refresh token grant (RFC 6749 §6), with rotation.
///
/// The refresh token of the grant before is used; the one given here only for the first. An answer without a refresh
/// token leaves the old one in force. A request is never repeated: the server may have spent the token.
public struct RefreshTokenGrant: TokenAcquirer {
    private let endpoint: TokenEndpoint
    private let initial: Secret?

    /// Gets tokens from an endpoint.
    ///
    /// - Parameters:
    ///   - endpoint: the token endpoint.
    ///   - initial: the first refresh token; `nil` where ``TokenRefreshCoordinator/signIn(_:with:account:)`` brings it.
    public init(endpoint: TokenEndpoint, initial: Secret? = nil) {
        self.endpoint = endpoint
        self.initial = initial
    }

    /// `false`: the refresh token is one, and would be spent by whichever key comes first.
    public var canStepUp: Bool { false }

    /// `true`: a server that rotates spends the refresh token.
    public func isSingleUse(after previous: TokenGrant?) -> Bool { true }

    /// Trades the refresh token for a grant.
    ///
    /// - Throws: ``GatewayCore/NetworkError``; with code `reauthenticationRequired` where there is no refresh token,
    ///   `credentialMisconfigured` where it is empty.
    public func acquire(_ request: TokenRequest) async throws -> TokenGrant {
        guard let token = request.previous?.refreshToken ?? initial else {
            throw NetworkError(
                .reauthenticationRequired, "There is no refresh token. Sign in first.",
                origin: endpoint.origin)
        }
        guard !token.exposed.isEmpty else {
            throw NetworkError(
                .credentialMisconfigured, "The refresh token is empty.", origin: endpoint.origin)
        }
        var grant = try await endpoint.grant(
            [("grant_type", "refresh_token"), ("refresh_token", token.exposed)] + request.key.parameters,
            spends: true, deadline: request.deadline)
        grant.refreshToken = grant.refreshToken ?? token
        return grant
    }

    /// The endpoint's.
    public var binding: DPoPBinding? { endpoint.binding }

    /// Revokes a grant where the endpoint was given a revocation endpoint (RFC 7009).
    public func revoke(_ grant: TokenGrant, deadline: Deadline) async throws {
        try await endpoint.revoke(grant, deadline: deadline)
    }
}
