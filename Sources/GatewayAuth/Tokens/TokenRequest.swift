public import GatewayCore

/// What a ``TokenAcquirer`` is asked for.
public struct TokenRequest: Sendable {
    /// Which token.
    public let key: TokenKey
    /// The grant that this one follows, with its refresh token.
    public let previous: TokenGrant?
    /// Whether the previous access token was rejected before its time. It must not be given again.
    public let previousWasRejected: Bool
    /// When the answer must be there. It is the refresh's own: no caller's deadline is in it, since many callers
    /// may share the refresh. It is that of ``TokenRefreshPolicy/exchangeTimeout`` where the request is
    /// single-use (``TokenAcquirer/isSingleUse(after:)``), else that of ``TokenRefreshPolicy/timeout``.
    public let deadline: Deadline

    /// Makes a request.
    public init(key: TokenKey, previous: TokenGrant?, previousWasRejected: Bool, deadline: Deadline) {
        self.key = key
        self.previous = previous
        self.previousWasRejected = previousWasRejected
        self.deadline = deadline
    }
}
