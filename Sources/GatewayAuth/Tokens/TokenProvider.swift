/// A source of access tokens: the simple form of a ``TokenAcquirer``.
///
/// ```swift
/// actor SessionTokens: TokenProvider {
///     private var session: Session
///     func currentToken() async throws -> String? { session.accessToken }
///     func refreshToken() async throws -> String {
///         session = try await login.renew(session)
///         return session.accessToken
///     }
/// }
/// ```
///
/// A provider may have state. ``TokenRefreshCoordinator`` makes one call to it at a time for a key, stores the token,
/// and calls again only if the token was rejected or expires soon. If the token is a JWT, its expiration time is used
/// (RFC 7519 §4.1.4).
///
/// For a failure that lasts until the next sign-in, throw a ``GatewayCore/NetworkError`` with the code
/// `reauthenticationRequired`. Any other error is transient.
public protocol TokenProvider: Sendable {
    /// Returns the current token, if there is one.
    ///
    /// It is called first: a token that differs from the rejected one was renewed elsewhere and is used.
    func currentToken() async throws -> String?

    /// Returns a new token, because the current one was rejected or expires soon. It must not be the rejected one.
    func refreshToken() async throws -> String

    /// Whether ``refreshToken()`` uses up something that can be used only once, such as a refresh token of the
    /// provider. Such a call is not abandoned, and no other call starts before it has ended or
    /// ``TokenRefreshPolicy/exchangeTimeout`` has passed. Default: `true`.
    var isSingleUse: Bool { get }
}

extension TokenProvider {
    /// Default: `true`, the safe choice.
    public var isSingleUse: Bool { true }
}
