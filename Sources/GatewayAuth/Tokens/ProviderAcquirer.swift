public import GatewayCore

/// A ``TokenAcquirer`` over a ``TokenProvider``.
///
/// The provider's current token is used if there is no previous one, or if it differs from the previous one, because it
/// was renewed elsewhere. Otherwise the token was rejected or expires soon, and the provider's
/// ``TokenProvider/refreshToken()`` is called. A token without an expiration time is used until it is rejected.
///
/// If `refreshToken()` returns the rejected token, no further call is made with it: callers get the code
/// `reauthenticationRequired`, and the provider is called again after the backoff of ``TokenRefreshPolicy``.
public struct ProviderAcquirer: TokenAcquirer {
    private let provider: any TokenProvider
    private let clock: any GatewayClock

    /// Wraps a provider.
    public init(_ provider: any TokenProvider, clock: any GatewayClock = SystemClock()) {
        self.provider = provider
        self.clock = clock
    }

    /// `false`: a provider has one token for all scopes.
    public var canStepUp: Bool { false }

    /// Whether the provider's calls are single-use.
    public func isSingleUse(after previous: TokenGrant?) -> Bool { provider.isSingleUse }

    /// Returns the current token or a new one.
    public func acquire(_ request: TokenRequest) async throws -> TokenGrant {
        if let current = try await provider.currentToken() {
            let token = try checked(current)
            if let grant = adopt(token, request) { return grant }
        }
        let renewed = try checked(try await provider.refreshToken())
        if request.previousWasRejected, renewed == request.previous?.accessToken {
            throw NetworkError(
                .reauthenticationRequired, .rejectedTokenReturned,
                "The token provider returned the token that was rejected.")
        }
        // The token was just issued, so its lifetime is computed from its own dates, not from our clock.
        return TokenGrant(
            accessToken: renewed, expiresIn: ExpiryHint(renewed)?.lifetime(unixTime: clock.unixTime))
    }

    /// Validates a token of the provider.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `tokenResponseMalformed` if the text cannot be sent.
    private func checked(_ token: String) throws(NetworkError) -> Secret {
        if let fault = TokenSyntax.fault(in: token) {
            throw NetworkError(.tokenResponseMalformed, "The token of \(type(of: provider)) \(fault).")
        }
        return Secret(token)
    }

    /// The grant of the provider's current token; `nil` if it is expired or was rejected.
    private func adopt(_ current: Secret, _ request: TokenRequest) -> TokenGrant? {
        let hint = ExpiryHint(current)
        let remaining = hint?.remaining(unixTime: clock.unixTime)
        if let remaining, remaining < .seconds(1) { return nil }
        if let previous = request.previous?.accessToken, previous == current {
            // The same token is usable only if it was not rejected and has no expiration time.
            guard !request.previousWasRejected, hint == nil else { return nil }
        }
        return TokenGrant(accessToken: current, expiresIn: remaining)
    }
}
