public import GatewayCore

/// Requests tokens with a custom grant: the complete form of a ``TokenProvider``.
///
/// An acquirer is stateless: all it needs is in the request, and it neither caches nor locks nor persists.
/// ``TokenRefreshCoordinator`` does that, and never makes two requests for one key at the same time.
///
/// For a permanent failure, throw a ``GatewayCore/NetworkError`` with the code `reauthenticationRequired`,
/// `credentialMisconfigured` or `interactionRequired`: no further request is made until the next sign-in. Any other
/// error is transient: the coordinator waits before the next request, at least for the error's `retryAfter`.
///
/// If you only need "the current token" and "a new token", conform to ``TokenProvider`` instead.
public protocol TokenAcquirer: Sendable {
    /// Requests a grant.
    func acquire(_ request: TokenRequest) async throws -> TokenGrant

    /// Revokes a grant that is no longer needed at its issuer (RFC 7009), because it was received after a sign-out or
    /// its owner signs out. It is called once, in the background, best effort.
    ///
    /// - Parameters:
    ///   - grant: the grant.
    ///   - deadline: when to give up.
    func revoke(_ grant: TokenGrant, deadline: Deadline) async throws

    /// Whether a token with more scopes can be obtained from the token key alone, in addition to the current token.
    /// Possible with client credentials, for example. Not possible with a refresh token, because two keys would use the
    /// same refresh token. Default: `true`.
    var canStepUp: Bool { get }

    /// Whether a request uses up something that can be used only once, such as a refresh token or an authorization
    /// code. Default: `true`.
    ///
    /// Such a request is not abandoned when the waiting callers time out, because its response may contain the only
    /// token that is still valid. No other request starts before it has ended or ``TokenRefreshPolicy/exchangeTimeout``
    /// has passed. Return `false` if a request can be repeated without harm, so that a request that hangs does not
    /// delay the next one.
    ///
    /// - Parameter previous: the grant that the request follows.
    func isSingleUse(after previous: TokenGrant?) -> Bool

    /// The binding of the tokens; `nil` for bearer tokens, which is the default.
    ///
    /// An acquirer that wraps another one must forward this property, ``canStepUp``, ``isSingleUse(after:)`` and
    /// ``revoke(_:deadline:)``; the defaults are for acquirers that do not wrap another. Without the binding, calls
    /// have no proofs for bound tokens and fail before anything is sent (`credentialMisconfigured`).
    var binding: DPoPBinding? { get }
}

extension TokenAcquirer {
    /// Does nothing, for issuers that do not support revocation.
    public func revoke(_ grant: TokenGrant, deadline: Deadline) async throws {}

    /// Default: `true`.
    public var canStepUp: Bool { true }

    /// Default: `true`, the safe choice.
    public func isSingleUse(after previous: TokenGrant?) -> Bool { true }

    /// Default: `nil`, bearer tokens.
    public var binding: DPoPBinding? { nil }
}
