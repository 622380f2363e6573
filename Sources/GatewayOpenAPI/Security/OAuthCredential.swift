public import GatewayAuth
public import GatewayCore

/// The credential of an `oauth2` or `openIdConnect` security scheme.
///
/// ```swift
/// let api = BookshopClient(credentials: .init(bookshopAuth: .clientCredentials(id: id, secret: secret)))
/// ```
/// The token endpoint and the scopes come from the document, or from the issuer that it names. Each set of scopes that
/// an operation requires gets its own token; see ``scopes(_:)``.
///
/// Several clients can use the same value. They share its tokens, and only one of them uses a refresh token at a time.
///
/// The same value serves calls without a document: `GatewayConfiguration.Authentication` makes it the credential of an
/// engine, and of all clients and queues of that engine; ``credentials(for:engine:)`` gives it to a queue over another one.
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

    /// A fixed access token, which is never refreshed.
    public static func token(_ token: Secret) -> OAuthCredential { OAuthCredential(.fixed(token)) }

    /// A fixed access token from a plain string, which is wrapped in a `Secret` immediately.
    public static func token(_ token: String) -> OAuthCredential { .token(Secret(token)) }

    /// Your own provider. Its token is used for all scopes. It is called again when the token is rejected.
    public static func provider(_ provider: any TokenProvider) -> OAuthCredential {
        OAuthCredential(.provider(provider))
    }

    /// Your own acquirer. It receives the scopes.
    public static func acquirer(_ acquirer: any TokenAcquirer) -> OAuthCredential {
        OAuthCredential(.acquirer(acquirer))
    }

    /// A token in a file that another process renews; see ``GatewayAuth/FileTokenProvider``.
    public static func file(_ path: String) -> OAuthCredential { .provider(FileTokenProvider(path: path)) }

    /// A token in an environment variable; see ``GatewayAuth/EnvironmentTokenProvider``.
    public static func environment(_ variable: String) -> OAuthCredential {
        .provider(EnvironmentTokenProvider(variable: variable))
    }

    /// The token of a coordinator for a key, regardless of the operation's scopes. The coordinator can be shared with
    /// other code.
    ///
    /// - Parameters:
    ///   - coordinator: the coordinator that keeps the token.
    ///   - key: the key of the token.
    ///   - origins: the origins that may receive the token, to restrict those of the client; `nil` for all of them.
    public static func coordinator(
        _ coordinator: TokenRefreshCoordinator, key: TokenKey = .default, origins: Set<Origin>? = nil
    ) -> OAuthCredential {
        OAuthCredential(.coordinator(coordinator, key, origins: origins))
    }

    /// An interactive sign-in, in a browser or on another device.
    public static func login(_ login: OAuthLogin) -> OAuthCredential { OAuthCredential(.login(login)) }

    // MARK: Calls without a document

    /// The credential for calls without a document, such as those of an offline queue whose engine has no credential:
    ///
    /// ```swift
    /// settings.credential = try credential.credentials(for: ["https://api.example.com"], engine: engine)
    /// ```
    /// The endpoints and scopes that the credential does not set are those of the first client that was created with it:
    /// all scopes of its document. A client has the same token if the credential's scopes do not depend on the operation
    /// (``scopes(_:)``).
    ///
    /// - Parameters:
    ///   - origins: the origins that receive the token, one or more, each in the form `scheme://host[:port]`.
    ///   - engine: makes the token requests.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `credentialMisconfigured` if no token endpoint is known,
    ///   `invalidURL` or `insecureOrigin` for a wrong URL, `credentialMissing` if the credential is for other origins, and
    ///   `misconfigured` without an origin.
    public func credentials(
        for origins: [String], engine: any RequestEngine
    ) throws(NetworkError) -> any CredentialSource {
        try Self.requireOrigins(origins)
        let services = engine.services
        var parsed: [Origin] = []
        for origin in origins { parsed.append(try Origin(origin)) }
        let token = try token(
            for: parsed, transport: EngineTransport.forTokens(of: engine),
            showsCertificate: services.showsClientCertificate, plainHTTP: services.plainHTTP)
        if let outlet = services.events { token.coordinator.report(to: outlet) }
        services.parts.add(token.coordinator)
        if let laterKey = token.laterKey {
            return token.coordinator.credentials(
                asking: laterKey, origins: Set(parsed), rejectionStatuses: token.rejectionStatuses,
                plainHTTP: services.plainHTTP)
        }
        return token.coordinator.credentials(
            for: token.key, origins: Set(parsed), rejectionStatuses: token.rejectionStatuses,
            plainHTTP: services.plainHTTP)
    }

    /// Fails for an empty list: no call would ever have the credential.
    package static func requireOrigins(_ origins: [String]) throws(NetworkError) {
        try NetworkError.require(
            !origins.isEmpty, "origins", "must name an origin that receives the credential")
    }
}

extension OAuthCredential: Redacted {
    /// The kind of credential, without secrets, names and URLs.
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
