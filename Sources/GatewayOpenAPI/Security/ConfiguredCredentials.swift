/// The credentials that a client was given, by the names of the document's security schemes.
@_spi(Generated) public struct ConfiguredCredentials: Sendable {
    enum Entry: Sendable {
        case oauth(OAuthCredential.Kind, tokenURL: String)
        case bearer(BearerCredential.Kind)
        case basic(BasicCredential)
        case apiKeyHeader(APIKeyCredential, name: String)
        case apiKeyQuery(APIKeyCredential, name: String)
        case apiKeyCookie(APIKeyCredential, name: String)
    }

    private(set) var entries: [String: Entry] = [:]

    /// None yet.
    public init() {}

    /// A scheme of type `oauth2`.
    public mutating func oauth(
        _ scheme: StaticString, _ credential: OAuthCredential?, tokenURL: StaticString
    ) {
        guard let credential else { return }
        entries["\(scheme)"] = .oauth(credential.kind, tokenURL: credential.tokenURL ?? "\(tokenURL)")
    }

    /// A scheme of type `http`, `bearer`, or of type `openIdConnect`.
    public mutating func bearer(_ scheme: StaticString, _ credential: BearerCredential?) {
        entries["\(scheme)"] = credential.map { .bearer($0.kind) }
    }

    /// A scheme of type `http`, `basic`.
    public mutating func basic(_ scheme: StaticString, _ credential: BasicCredential?) {
        entries["\(scheme)"] = credential.map { .basic($0) }
    }

    /// A scheme of type `apiKey` in a header field.
    public mutating func apiKeyHeader(
        _ scheme: StaticString, _ credential: APIKeyCredential?, _ name: StaticString
    ) {
        entries["\(scheme)"] = credential.map { .apiKeyHeader($0, name: "\(name)") }
    }

    /// A scheme of type `apiKey` in the query.
    public mutating func apiKeyQuery(
        _ scheme: StaticString, _ credential: APIKeyCredential?, _ name: StaticString
    ) {
        entries["\(scheme)"] = credential.map { .apiKeyQuery($0, name: "\(name)") }
    }

    /// A scheme of type `apiKey` in a cookie.
    public mutating func apiKeyCookie(
        _ scheme: StaticString, _ credential: APIKeyCredential?, _ name: StaticString
    ) {
        entries["\(scheme)"] = credential.map { .apiKeyCookie($0, name: "\(name)") }
    }
}
