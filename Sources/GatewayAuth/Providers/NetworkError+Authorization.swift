public import GatewayCore

extension NetworkError {
    /// Whoever was asked to let the client in has refused (RFC 6749 §4.1.2.1, RFC 8628 §3.5).
    public static let authorizationDenied = Code("authorization_denied", category: .authentication)
    /// Nobody has let the client in while there was time (RFC 8628 §3.5).
    public static let authorizationExpired = Code("authorization_expired", category: .authentication)
}

extension NetworkError.Code {
    /// Whoever was asked to let the client in has refused.
    public static var authorizationDenied: Self { NetworkError.authorizationDenied }
    /// Nobody has let the client in while there was time.
    public static var authorizationExpired: Self { NetworkError.authorizationExpired }
}
