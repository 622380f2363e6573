/// Gives access tokens: the simple form of what people write.
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
/// A provider may keep state. ``TokenRefreshCoordinator`` never has two calls to it under way for one key, keeps
/// the token at hand, and asks again only when the token was rejected or nears its end. The end is read from the
/// token where it is a JWT (RFC 7519 §4.1.4).
///
/// To give up for good, throw a ``GatewayCore/NetworkError`` with the code `reauthenticationRequired`; any other
/// error counts as passing.
public protocol TokenProvider: Sendable {
    /// The token that is in use, if there is one.
    ///
    /// It is asked first: a token that differs from the rejected one has been renewed by somebody else, and is
    /// used.
    func currentToken() async throws -> String?

    /// A new token, since the current one no longer serves.
    func refreshToken() async throws -> String

    /// Whether ``refreshToken()`` uses something up that can be used only once, such as a refresh token that the
    /// provider keeps. Such a call is not given up, and not followed by another, before it has ended or
    /// ``TokenRefreshPolicy/exchangeTimeout`` has passed. `true` where a provider does not say.
    var isSingleUse: Bool { get }
}

extension TokenProvider {
    /// `true`: nothing is lost by it but time.
    public var isSingleUse: Bool { true }
}
