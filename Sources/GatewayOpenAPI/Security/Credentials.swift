public import GatewayAuth
public import GatewayCore

/// What an `oauth2` security scheme takes. Token endpoint and scopes come from the document.
public struct OAuthCredential: Sendable {
    enum Kind: Sendable {
        case clientCredentials(id: String, secret: Secret)
        case refreshToken(Secret, clientID: String, clientSecret: Secret?)
        case token(Secret)
        case provider(any TokenProvider)
        case acquirer(any TokenAcquirer)
    }

    let kind: Kind
    var tokenURL: String?

    /// The client's own credential (RFC 6749, section 4.4). Each set of scopes gets a token of its own.
    ///
    /// - Parameters:
    ///   - id: the client's identifier.
    ///   - secret: the client's secret.
    ///   - tokenURL: the token endpoint, where it is another than the document's.
    public static func clientCredentials(id: String, secret: Secret, tokenURL: String? = nil) -> Self {
        Self(kind: .clientCredentials(id: id, secret: secret), tokenURL: tokenURL)
    }

    /// The same from a secret that is still a plain string; it is wrapped at once.
    public static func clientCredentials(id: String, secret: String, tokenURL: String? = nil) -> Self {
        .clientCredentials(id: id, secret: Secret(secret), tokenURL: tokenURL)
    }

    /// A refresh token that somebody got by signing in (RFC 6749, section 6).
    ///
    /// - Parameters:
    ///   - token: the refresh token.
    ///   - clientID: the client's identifier.
    ///   - clientSecret: the client's secret; `nil` for a public client.
    ///   - tokenURL: the token endpoint, where it is another than the document's.
    public static func refreshToken(
        _ token: Secret, clientID: String, clientSecret: Secret? = nil, tokenURL: String? = nil
    ) -> Self {
        Self(
            kind: .refreshToken(token, clientID: clientID, clientSecret: clientSecret), tokenURL: tokenURL)
    }

    /// The same from plain strings; they are wrapped at once.
    public static func refreshToken(
        _ token: String, clientID: String, clientSecret: String? = nil, tokenURL: String? = nil
    ) -> Self {
        .refreshToken(
            Secret(token), clientID: clientID, clientSecret: clientSecret.map { Secret($0) },
            tokenURL: tokenURL)
    }

    /// An access token that is never renewed.
    public static func token(_ token: Secret) -> Self { Self(kind: .token(token), tokenURL: nil) }

    /// The same from a plain string; it is wrapped at once.
    public static func token(_ token: String) -> Self { .token(Secret(token)) }

    /// A provider of your own; it gives one token for all scopes.
    public static func provider(_ provider: any TokenProvider) -> Self {
        Self(kind: .provider(provider), tokenURL: nil)
    }

    /// An acquirer of your own; it is told the scopes.
    public static func acquirer(_ acquirer: any TokenAcquirer) -> Self {
        Self(kind: .acquirer(acquirer), tokenURL: nil)
    }
}

/// What an `http` security scheme of kind `bearer` takes (RFC 6750).
public struct BearerCredential: Sendable {
    enum Kind: Sendable {
        case token(Secret)
        case provider(any TokenProvider)
    }

    let kind: Kind

    /// A token that is never renewed.
    public static func token(_ token: Secret) -> Self { Self(kind: .token(token)) }

    /// The same from a plain string; it is wrapped at once.
    public static func token(_ token: String) -> Self { .token(Secret(token)) }

    /// A provider of your own, which is asked again when its token is rejected.
    public static func provider(_ provider: any TokenProvider) -> Self { Self(kind: .provider(provider)) }
}

/// What an `http` security scheme of kind `basic` takes (RFC 7617).
public struct BasicCredential: Sendable {
    let user: String
    let password: Secret

    /// A user with a password. The user's name holds no colon.
    public init(user: String, password: Secret) {
        self.user = user
        self.password = password
    }

    /// The same from a plain string; it is wrapped at once.
    public init(user: String, password: String) { self.init(user: user, password: Secret(password)) }
}

/// What an `apiKey` security scheme takes.
public struct APIKeyCredential: Sendable, ExpressibleByStringLiteral {
    let key: Secret

    /// A key.
    public init(_ key: Secret) { self.key = key }

    /// The same from a plain string; it is wrapped at once.
    public init(_ key: String) { self.init(Secret(key)) }

    /// A key.
    public init(stringLiteral value: String) { self.init(value) }
}
