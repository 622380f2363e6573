public import GatewayAuth
public import GatewayCore

/// What an `http` security scheme of kind `bearer` takes (RFC 6750): any way to a token. The document does not say where
/// its tokens come from.
public struct BearerCredential: Sendable {
    let tokens: OAuthCredential

    /// Tokens by OAuth, from a token endpoint or an issuer that the credential names.
    ///
    /// ```swift
    /// .oauth(.clientCredentials(id: id, secret: secret, tokenURL: "https://login.example.com/token"))
    /// ```
    public static func oauth(_ credential: OAuthCredential) -> BearerCredential {
        BearerCredential(tokens: credential)
    }

    /// A token that is never renewed.
    public static func token(_ token: Secret) -> BearerCredential { .oauth(.token(token)) }

    /// The same from a plain string; it is wrapped at once.
    public static func token(_ token: String) -> BearerCredential { .token(Secret(token)) }

    /// A provider of your own, which is asked again when its token is rejected.
    public static func provider(_ provider: any TokenProvider) -> BearerCredential {
        .oauth(.provider(provider))
    }

    /// An acquirer of your own.
    public static func acquirer(_ acquirer: any TokenAcquirer) -> BearerCredential {
        .oauth(.acquirer(acquirer))
    }

    /// A token that somebody else keeps in a file and renews there; see ``GatewayAuth/FileTokenProvider``.
    public static func file(_ path: String) -> BearerCredential { .oauth(.file(path)) }

    /// A token in an environment variable; see ``GatewayAuth/EnvironmentTokenProvider``.
    public static func environment(_ variable: String) -> BearerCredential { .oauth(.environment(variable)) }

    /// Names the account; see ``OAuthCredential/account(_:)``.
    public func account(_ name: String) -> BearerCredential { .oauth(tokens.account(name)) }
}
