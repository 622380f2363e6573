public import GatewayCore

/// A request to a ``TokenAcquirer``.
public struct TokenRequest: Sendable {
    /// The key of the token.
    public let key: TokenKey
    /// The previous grant, with its refresh token.
    public let previous: TokenGrant?
    /// Whether the previous access token was rejected before it expired. It must not be returned again.
    public let previousWasRejected: Bool
    /// The deadline of the refresh. It does not depend on the deadlines of callers, because many callers may share the
    /// refresh. It comes from ``TokenRefreshPolicy/exchangeTimeout`` for a single-use request
    /// (``TokenAcquirer/isSingleUse(after:)``), otherwise from ``TokenRefreshPolicy/timeout``.
    public let deadline: Deadline

    /// Creates a request.
    public init(key: TokenKey, previous: TokenGrant?, previousWasRejected: Bool, deadline: Deadline) {
        self.key = key
        self.previous = previous
        self.previousWasRejected = previousWasRejected
        self.deadline = deadline
    }
}
