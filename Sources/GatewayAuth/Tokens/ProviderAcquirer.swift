public import GatewayCore

/// Makes a ``TokenAcquirer`` of a ``TokenProvider``.
///
/// The provider's current token is used when there is none yet or it differs from the one before: somebody else has
/// renewed it. Otherwise it was rejected or nears its end, and the provider is asked for a new one. A token that
/// says nothing of its end is used until it is rejected.
public struct ProviderAcquirer: TokenAcquirer {
    private let provider: any TokenProvider
    private let clock: any GatewayClock

    /// Wraps a provider.
    public init(_ provider: any TokenProvider, clock: any GatewayClock = SystemClock()) {
        self.provider = provider
        self.clock = clock
    }

    /// `false`: a provider has one token, whatever the scopes.
    public var canStepUp: Bool { false }

    /// The provider's.
    public func isSingleUse(after previous: TokenGrant?) -> Bool { provider.isSingleUse }

    /// Gets the current token or a new one.
    public func acquire(_ request: TokenRequest) async throws -> TokenGrant {
        if let current = try await provider.currentToken().map(Secret.init),
            let grant = adopt(current, request)
        {
            return grant
        }
        let renewed = Secret(try await provider.refreshToken())
        // Fresh from its issuer: its own two dates tell its lifetime, whatever our clock shows.
        return TokenGrant(
            accessToken: renewed, expiresIn: ExpiryHint(renewed)?.lifetime(unixTime: clock.unixTime))
    }

    /// The grant of a token that is in use already, unless it no longer serves.
    private func adopt(_ current: Secret, _ request: TokenRequest) -> TokenGrant? {
        let hint = ExpiryHint(current)
        let remaining = hint?.remaining(unixTime: clock.unixTime)
        if let remaining, remaining < .seconds(1) { return nil }
        if let previous = request.previous?.accessToken, previous == current {
            // The same again: good only where nothing is known against it.
            guard !request.previousWasRejected, hint == nil else { return nil }
        }
        return TokenGrant(accessToken: current, expiresIn: remaining)
    }
}
