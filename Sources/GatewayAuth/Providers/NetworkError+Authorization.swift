public import GatewayCore

extension NetworkError {
    /// The user or the server denied the sign-in (RFC 6749 §4.1.2.1, RFC 8628 §3.5).
    public static let authorizationDenied = Code("authorization_denied", category: .authentication)
    /// The codes of the sign-in have expired (RFC 8628 §3.5).
    public static let authorizationExpired = Code("authorization_expired", category: .authentication)
    /// The redirect of a sign-in cannot be received, for example because its port is in use or the browser's
    /// request is too large.
    public static let redirectUnavailable = Code(
        "redirect_unavailable", category: .authentication, guidance: .report)
    /// The ID token of a sign-in is missing or invalid (OpenID Connect Core 1.0 §3.1.3.7).
    public static let idTokenInvalid = Code(
        "id_token_invalid", category: .authentication, guidance: .report)
}

extension NetworkError.Code {
    /// The user or the server denied the sign-in.
    public static var authorizationDenied: Self { NetworkError.authorizationDenied }
    /// The codes of the sign-in have expired.
    public static var authorizationExpired: Self { NetworkError.authorizationExpired }
    /// The redirect of a sign-in cannot be received.
    public static var redirectUnavailable: Self { NetworkError.redirectUnavailable }
    /// The ID token of a sign-in is missing or invalid.
    public static var idTokenInvalid: Self { NetworkError.idTokenInvalid }
}
