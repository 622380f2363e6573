/// Provides access tokens: the simple form of a ``TokenAcquirer``.
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
/// A provider may keep state. ``TokenRefreshCoordinator`` makes one call to it at a time for a key, keeps the token, and
/// asks again only when the token was rejected or expires soon. The expiry is read from the token if it is a JWT (RFC
/// 7519 §4.1.4).
///
/// To fail until the next sign-in, throw a ``GatewayCore/NetworkError`` with the code `reauthenticationRequired`; any
/// other error counts as transient.
public protocol TokenProvider: Sendable {
    /// The token that is in use, if there is one.
    ///
    /// It is called first: a token that differs from the rejected one was renewed by somebody else, and is used.
    func currentToken() async throws -> String?

    /// A new token: the current one was rejected or expires soon. It must not be the rejected one.
    func refreshToken() async throws -> String

    /// Whether ``refreshToken()`` spends something that can be used only once, such as a refresh token that the provider
    /// keeps. Such a call is not abandoned, and not followed by another, before it has ended or
    /// ``TokenRefreshPolicy/exchangeTimeout`` has passed. `true` by default.
    var isSingleUse: Bool { get }
}

extension TokenProvider {
    /// `true`: the safe choice; it costs time only.
    public var isSingleUse: Bool { true }
}
