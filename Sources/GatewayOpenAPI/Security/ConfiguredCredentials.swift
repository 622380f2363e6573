internal import GatewayPatterns

/// The credentials of a client, by the names of the document's security schemes.
@_spi(Generated) public struct ConfiguredCredentials: Sendable {
    enum Entry: Sendable {
        case tokens(OAuthCredential, DocumentedTokens)
        case basic(BasicCredential)
        case fixed(FixedCredential, account: String?)
        case mutualTLS
    }

    struct Scheme: Sendable {
        /// The kind of scheme for messages, such as `oauth2`.
        let kind: String
        /// The credential; `nil` if none was given.
        let entry: Entry?
        /// Whether it takes tokens, so that the engine's credential can be used if none was given.
        var takesTokens = false
    }

    private(set) var schemes: [ExactText: Scheme] = [:]
    private(set) var options = SecurityOptions()

    /// Creates an empty set.
    public init() {}

    /// Sets the options.
    public mutating func options(_ options: SecurityOptions) { self.options = options }

    private mutating func add(_ scheme: StaticString, _ kind: String, _ entry: Entry?) {
        schemes[ExactText("\(scheme)")] = Scheme(kind: kind, entry: entry)
    }

    private mutating func add(
        _ scheme: StaticString, _ kind: String, _ credential: OAuthCredential?, _ tokens: DocumentedTokens
    ) {
        schemes[ExactText("\(scheme)")] = Scheme(
            kind: kind, entry: credential.map { .tokens($0, tokens) }, takesTokens: true)
    }

    // MARK: Tokens

    /// Adds a scheme of type `oauth2`.
    ///
    /// - Parameters:
    ///   - tokenURL: the token endpoint of the first flow that has one.
    ///   - signInTokenURL: the token endpoint of the interactive flows, if it differs.
    ///   - refreshURL: the URL for refresh tokens, if it differs.
    ///   - metadataURL: the URL of the authorization server metadata.
    ///   - scopes: the scopes that the document lists for the scheme or that an operation requires, separated by
    ///     spaces.
    public mutating func oauth(
        _ scheme: StaticString, _ credential: OAuthCredential?, tokenURL: StaticString = "",
        signInTokenURL: StaticString = "", refreshURL: StaticString = "", authorizationURL: StaticString = "",
        deviceAuthorizationURL: StaticString = "", metadataURL: StaticString = "", scopes: StaticString = ""
    ) {
        let tokens = DocumentedTokens(
            tokenURL: "\(tokenURL)", signInTokenURL: "\(signInTokenURL)", refreshURL: "\(refreshURL)",
            authorizationURL: "\(authorizationURL)", deviceAuthorizationURL: "\(deviceAuthorizationURL)",
            metadataURL: "\(metadataURL)", scopes: DocumentedTokens.words(scopes))
        add(scheme, "oauth2", credential, tokens)
    }

    /// Adds a scheme of type `openIdConnect`.
    ///
    /// - Parameters:
    ///   - url: the URL of the issuer's metadata.
    ///   - scopes: the scopes that an operation requires, separated by spaces.
    public mutating func openID(
        _ scheme: StaticString, _ credential: OAuthCredential?, url: StaticString, scopes: StaticString = ""
    ) {
        let tokens = DocumentedTokens(metadataURL: "\(url)", scopes: DocumentedTokens.words(scopes))
        add(scheme, "openIdConnect", credential, tokens)
    }

    /// Adds a scheme of type `http`, `bearer`.
    public mutating func bearer(_ scheme: StaticString, _ credential: BearerCredential?) {
        add(scheme, "http bearer", credential?.tokens, DocumentedTokens(hasScopes: false))
    }

    // MARK: Fixed credentials

    /// Adds a scheme of type `http`, `basic`.
    public mutating func basic(_ scheme: StaticString, _ credential: BasicCredential?) {
        add(scheme, "http basic", credential.map { .basic($0) })
    }

    /// Adds a scheme of type `apiKey` in a header field.
    public mutating func apiKeyHeader(
        _ scheme: StaticString, _ credential: APIKeyCredential?, _ name: StaticString
    ) {
        add(
            scheme, "apiKey",
            credential.map { .fixed(.header(name: "\(name)", value: $0.read), account: $0.account) })
    }

    /// Adds a scheme of type `apiKey` in the query.
    public mutating func apiKeyQuery(
        _ scheme: StaticString, _ credential: APIKeyCredential?, _ name: StaticString
    ) {
        add(
            scheme, "apiKey",
            credential.map { .fixed(.query(name: "\(name)", value: $0.read), account: $0.account) })
    }

    /// Adds a scheme of type `apiKey` in a cookie.
    public mutating func apiKeyCookie(
        _ scheme: StaticString, _ credential: APIKeyCredential?, _ name: StaticString
    ) {
        add(
            scheme, "apiKey",
            credential.map { .fixed(.cookie(name: "\(name)", value: $0.read), account: $0.account) })
    }

    /// Adds a scheme whose credential is a function.
    ///
    /// - Parameter kind: the kind of scheme for messages, such as `http digest`.
    public mutating func custom(
        _ scheme: StaticString, _ credential: CustomCredential?, _ kind: StaticString
    ) {
        add(scheme, "\(kind)", credential.map { .fixed(.custom($0), account: $0.account) })
    }

    /// Adds a scheme of type `mutualTLS`, which the transport implements.
    public mutating func mutualTLS(_ scheme: StaticString) { add(scheme, "mutualTLS", .mutualTLS) }
}
