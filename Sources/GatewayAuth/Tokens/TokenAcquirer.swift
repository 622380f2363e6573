/// Gets tokens: the full form of what people write, for grants of their own.
///
/// An acquirer is stateless: all it needs stands in the request, and it neither caches nor locks nor persists.
/// ``TokenRefreshCoordinator`` does that, and never has two requests for one key under way.
///
/// To give up for good, throw a ``GatewayCore/NetworkError`` with the code `reauthenticationRequired`,
/// `credentialMisconfigured` or `interactionRequired`: nobody asks again until somebody signs in. Any other error
/// counts as passing; the coordinator waits before it asks again, for as long as the error's `retryAfter` says.
///
/// Whoever has only "the token" and "a new token" conforms to ``TokenProvider`` instead.
public protocol TokenAcquirer: Sendable {
    /// Gets a grant.
    func acquire(_ request: TokenRequest) async throws -> TokenGrant

    /// Whether a token of further scopes can be had by its key alone, beside the one that is in use: by client
    /// credentials, for one. By a refresh token it cannot: two keys would spend one refresh token.
    var canStepUp: Bool { get }
}

extension TokenAcquirer {
    /// `true`.
    public var canStepUp: Bool { true }
}
