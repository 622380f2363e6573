public import GatewayAuth
public import GatewayCore

/// What an `oauth2` or `openIdConnect` security scheme takes: any way to a token.
///
/// ```swift
/// let api = BookshopClient(credentials: .init(bookshopAuth: .clientCredentials(id: id, secret: secret)))
/// ```
/// Token endpoint and scopes come from the document, or from the issuer that it names. Each set of scopes that an
/// operation needs gets a token of its own; see ``scopes(_:)``.
///
/// A value may be given to several clients: they share its tokens, and a refresh token is spent by one of them at a
/// time.
public struct OAuthCredential: Sendable {
    enum Way: Sendable {
        case fixed(Secret)
        case provider(any TokenProvider)
        case acquirer(any TokenAcquirer)
        case client(ClientGrant)
        case login(OAuthLogin)
        case coordinator(TokenRefreshCoordinator, TokenKey, origins: Set<Origin>?)
    }

    let way: Way
    let options: TokenOptions
    /// Shared by all copies of the value.
    let keeper: TokenKeeper

    init(_ way: Way, _ options: TokenOptions = TokenOptions()) {
        self.way = way
        self.options = options
        keeper = TokenKeeper()
    }

    // MARK: Tokens of your own

    /// An access token that is never renewed.
    public static func token(_ token: Secret) -> OAuthCredential { OAuthCredential(.fixed(token)) }

    /// The same from a plain string; it is wrapped at once.
    public static func token(_ token: String) -> OAuthCredential { .token(Secret(token)) }

    /// A provider of your own; it gives one token for all scopes, and is asked again when that is rejected.
    public static func provider(_ provider: any TokenProvider) -> OAuthCredential {
        OAuthCredential(.provider(provider))
    }

    /// An acquirer of your own; it is told the scopes.
    public static func acquirer(_ acquirer: any TokenAcquirer) -> OAuthCredential {
        OAuthCredential(.acquirer(acquirer))
    }

    /// A token that somebody else keeps in a file and renews there; see ``GatewayAuth/FileTokenProvider``.
    public static func file(_ path: String) -> OAuthCredential { .provider(FileTokenProvider(path: path)) }

    /// A token in an environment variable; see ``GatewayAuth/EnvironmentTokenProvider``.
    public static func environment(_ variable: String) -> OAuthCredential {
        .provider(EnvironmentTokenProvider(variable: variable))
    }

    /// The token of a key that a coordinator keeps, whatever the operation's scopes; others may use it as well.
    ///
    /// - Parameters:
    ///   - coordinator: keeps the token.
    ///   - key: which token.
    ///   - origins: who may see it, where that is fewer than the client calls; `nil` for all of those.
    public static func coordinator(
        _ coordinator: TokenRefreshCoordinator, key: TokenKey = .default, origins: Set<Origin>? = nil
    ) -> OAuthCredential {
        OAuthCredential(.coordinator(coordinator, key, origins: origins))
    }

    /// A person who signs in, by a browser or another device.
    public static func login(_ login: OAuthLogin) -> OAuthCredential { OAuthCredential(.login(login)) }
}

extension OAuthCredential: Redacted {
    /// In which way tokens are had; no secret, name or address.
    public var description: String {
        switch way {
        case .fixed: "fixed token"
        case .provider: "token of a provider"
        case .acquirer: "token of an acquirer"
        case .client(let grant): "token of a client by \(grant.name)"
        case .login: "token of a login"
        case .coordinator: "token of a coordinator"
        }
    }
}
