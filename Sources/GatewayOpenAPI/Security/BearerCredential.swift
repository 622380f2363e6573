public import GatewayAuth
public import GatewayCore

/// The credential of an `http` security scheme of kind `bearer` (RFC 6750). The document does not define how tokens are
/// obtained, so any token source can be used.
public struct BearerCredential: Sendable {
    let tokens: OAuthCredential

    /// Tokens from OAuth. The credential must name the token endpoint or the issuer.
    ///
    /// ```swift
    /// .oauth(.clientCredentials(id: id, secret: secret, tokenURL: "https://login.example.com/token"))
    /// ```
    public static func oauth(_ credential: OAuthCredential) -> BearerCredential {
        BearerCredential(tokens: credential)
    }

    /// A fixed token, which is never refreshed.
    public static func token(_ token: Secret) -> BearerCredential { .oauth(.token(token)) }

    /// A fixed token from a plain string, which is wrapped in a `Secret` immediately.
    public static func token(_ token: String) -> BearerCredential { .token(Secret(token)) }

    /// Your own provider. It is called again when its token is rejected.
    public static func provider(_ provider: any TokenProvider) -> BearerCredential {
        .oauth(.provider(provider))
    }

    /// Your own acquirer of tokens.
    public static func acquirer(_ acquirer: any TokenAcquirer) -> BearerCredential {
        .oauth(.acquirer(acquirer))
    }

    /// A token in a file that another process renews; see ``GatewayAuth/FileTokenProvider``.
    public static func file(_ path: String) -> BearerCredential { .oauth(.file(path)) }

    /// A token in an environment variable; see ``GatewayAuth/EnvironmentTokenProvider``.
    public static func environment(_ variable: String) -> BearerCredential { .oauth(.environment(variable)) }

    /// Sets the account name; see ``OAuthCredential/account(_:)``.
    public func account(_ name: String) -> BearerCredential { .oauth(tokens.account(name)) }
}
