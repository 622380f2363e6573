public import GatewayCore

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

    /// Takes a grant back at its issuer (RFC 7009), since nobody has a use for it any more: it came after a sign-out, or
    /// its owner signs out. It is done once, as well as it can be, and nobody waits for it.
    ///
    /// - Parameters:
    ///   - grant: what to take back.
    ///   - deadline: when to give up.
    func revoke(_ grant: TokenGrant, deadline: Deadline) async throws

    /// Whether a token of further scopes can be had by its key alone, beside the one that is in use: by client
    /// credentials, for one. By a refresh token it cannot: two keys would spend one refresh token.
    var canStepUp: Bool { get }

    /// Whether a request uses something up that can be used only once: a refresh token, an authorization code.
    ///
    /// Such a request is not given up when those who wait have waited long enough: its answer may hold the only
    /// token that works from now on. No other request follows it before it has ended, or
    /// ``TokenRefreshPolicy/exchangeTimeout`` has passed. Return `false` where a request can be repeated without
    /// harm, so that one that hangs does not hold up the next.
    ///
    /// - Parameter previous: the grant that the request follows.
    func isSingleUse(after previous: TokenGrant?) -> Bool

    /// What its tokens are bound to, and prove with each request; `nil` where they are bearer tokens.
    ///
    /// An acquirer that wraps another one forwards it, and likewise ``canStepUp``, ``isSingleUse(after:)`` and
    /// ``revoke(_:deadline:)``: what is not written here stands for an acquirer that has none. Without it the calls'
    /// bound tokens would lack their proofs, and are refused before anything is sent (`credentialMisconfigured`).
    var binding: DPoPBinding? { get }
}

extension TokenAcquirer {
    /// Does nothing: for issuers that take nothing back.
    public func revoke(_ grant: TokenGrant, deadline: Deadline) async throws {}

    /// `true`.
    public var canStepUp: Bool { true }

    /// `true`: nothing is lost by it but time.
    public func isSingleUse(after previous: TokenGrant?) -> Bool { true }

    /// `nil`.
    public var binding: DPoPBinding? { nil }
}
