/// The credentials that a client was given, by the names of the document's security schemes.
@_spi(Generated) public struct ConfiguredCredentials: Sendable {
    enum Entry: Sendable {
        case tokens(OAuthCredential, DocumentedTokens)
        case basic(BasicCredential)
        case apiKeyHeader(APIKeyCredential, name: String)
        case apiKeyQuery(APIKeyCredential, name: String)
        case apiKeyCookie(APIKeyCredential, name: String)
        case custom(CustomCredential)
        case mutualTLS
    }

    struct Scheme: Sendable {
        /// For people: `oauth2`.
        let kind: String
        /// `nil`: nothing was given.
        let entry: Entry?
    }

    private(set) var schemes: [String: Scheme] = [:]
    private(set) var options = SecurityOptions()

    /// None yet.
    public init() {}

    /// Says how to choose.
    public mutating func options(_ options: SecurityOptions) { self.options = options }

    private mutating func add(_ scheme: StaticString, _ kind: String, _ entry: Entry?) {
        schemes["\(scheme)"] = Scheme(kind: kind, entry: entry)
    }

    // MARK: Tokens

    /// A scheme of type `oauth2`.
    ///
    /// - Parameters:
    ///   - tokenURL: the token endpoint of the first flow that has one.
    ///   - signInTokenURL: that of the flows for people, where it is another.
    ///   - refreshURL: where refresh tokens go, where that is another.
    ///   - metadataURL: where the server's metadata stands.
    ///   - scopes: all that the document lists for the scheme or an operation needs, by space.
    public mutating func oauth(
        _ scheme: StaticString, _ credential: OAuthCredential?, tokenURL: StaticString = "",
        signInTokenURL: StaticString = "", refreshURL: StaticString = "", authorizationURL: StaticString = "",
        deviceAuthorizationURL: StaticString = "", metadataURL: StaticString = "", scopes: StaticString = ""
    ) {
        let tokens = DocumentedTokens(
            tokenURL: "\(tokenURL)", signInTokenURL: "\(signInTokenURL)", refreshURL: "\(refreshURL)",
            authorizationURL: "\(authorizationURL)", deviceAuthorizationURL: "\(deviceAuthorizationURL)",
            metadataURL: "\(metadataURL)", scopes: DocumentedTokens.words(scopes))
        add(scheme, "oauth2", credential.map { .tokens($0, tokens) })
    }

    /// A scheme of type `openIdConnect`.
    ///
    /// - Parameters:
    ///   - url: where the issuer's metadata stands.
    ///   - scopes: all that an operation needs, by space.
    public mutating func openID(
        _ scheme: StaticString, _ credential: OAuthCredential?, url: StaticString, scopes: StaticString = ""
    ) {
        let tokens = DocumentedTokens(metadataURL: "\(url)", scopes: DocumentedTokens.words(scopes))
        add(scheme, "openIdConnect", credential.map { .tokens($0, tokens) })
    }

    /// A scheme of type `http`, `bearer`.
    public mutating func bearer(_ scheme: StaticString, _ credential: BearerCredential?) {
        add(scheme, "http bearer", credential.map { .tokens($0.tokens, DocumentedTokens(hasScopes: false)) })
    }

    // MARK: What is put on as it is

    /// A scheme of type `http`, `basic`.
    public mutating func basic(_ scheme: StaticString, _ credential: BasicCredential?) {
        add(scheme, "http basic", credential.map { .basic($0) })
    }

    /// A scheme of type `apiKey` in a header field.
    public mutating func apiKeyHeader(
        _ scheme: StaticString, _ credential: APIKeyCredential?, _ name: StaticString
    ) {
        add(scheme, "apiKey", credential.map { .apiKeyHeader($0, name: "\(name)") })
    }

    /// A scheme of type `apiKey` in the query.
    public mutating func apiKeyQuery(
        _ scheme: StaticString, _ credential: APIKeyCredential?, _ name: StaticString
    ) {
        add(scheme, "apiKey", credential.map { .apiKeyQuery($0, name: "\(name)") })
    }

    /// A scheme of type `apiKey` in a cookie.
    public mutating func apiKeyCookie(
        _ scheme: StaticString, _ credential: APIKeyCredential?, _ name: StaticString
    ) {
        add(scheme, "apiKey", credential.map { .apiKeyCookie($0, name: "\(name)") })
    }

    /// A scheme that takes a function.
    ///
    /// - Parameter kind: for people: `http digest`.
    public mutating func custom(
        _ scheme: StaticString, _ credential: CustomCredential?, _ kind: StaticString
    ) {
        add(scheme, "\(kind)", credential.map { .custom($0) })
    }

    /// A scheme of type `mutualTLS`, which is the connections' business.
    public mutating func mutualTLS(_ scheme: StaticString) { add(scheme, "mutualTLS", .mutualTLS) }
}
