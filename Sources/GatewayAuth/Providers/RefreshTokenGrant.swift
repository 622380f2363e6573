public import GatewayCore

/// The refresh token grant (RFC 6749 §6), with rotation.
///
/// It uses the refresh token of the previous grant; the initial one is used only for the first request. If a response
/// has no refresh token, the previous one remains valid. A request is never repeated, because the server may already
/// have invalidated the token.
public struct RefreshTokenGrant: TokenAcquirer {
    private let endpoint: TokenEndpoint
    private let initial: Secret?

    /// Creates an acquirer for an endpoint.
    ///
    /// - Parameters:
    ///   - endpoint: the token endpoint.
    ///   - initial: the initial refresh token; `nil` if it comes from
    ///     ``TokenRefreshCoordinator/signIn(_:with:account:)``.
    public init(endpoint: TokenEndpoint, initial: Secret? = nil) {
        self.endpoint = endpoint
        self.initial = initial
    }

    /// `false`: several token keys would use the same refresh token.
    public var canStepUp: Bool { false }

    /// `true`: a server with rotation invalidates the refresh token.
    public func isSingleUse(after previous: TokenGrant?) -> Bool { true }

    /// Requests a grant with the refresh token.
    ///
    /// - Throws: ``GatewayCore/NetworkError``, with the code `reauthenticationRequired` if there is no refresh token,
    ///   or `credentialMisconfigured` if it is empty.
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

    /// The binding of the endpoint.
    public var binding: DPoPBinding? { endpoint.binding }

    /// Revokes a grant (RFC 7009), if the revocation endpoint is known.
    public func revoke(_ grant: TokenGrant, deadline: Deadline) async throws {
        try await endpoint.revoke(grant, deadline: deadline)
    }
}
