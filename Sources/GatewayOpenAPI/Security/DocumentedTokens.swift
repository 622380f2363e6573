internal import GatewayAuth
internal import GatewayCore

/// What the document says about the tokens of a scheme. Texts are empty where it says nothing.
struct DocumentedTokens: Sendable {
    var tokenURL = ""
    /// The token endpoint for people, where it is another.
    var signInTokenURL = ""
    var refreshURL = ""
    var authorizationURL = ""
    var deviceAuthorizationURL = ""
    /// Where an issuer's metadata stands.
    var metadataURL = ""
    /// All that it lists or that an operation needs.
    var scopes: [String] = []
    /// Whether what operations name are scopes; with `http` schemes they are roles, which nobody can ask for.
    var hasScopes = true

    /// Splits what generated code has as one text.
    static func words(_ text: StaticString) -> [String] { "\(text)".split(separator: " ").map(String.init) }

    /// The scopes that a token is asked for with.
    func scopes(_ choice: TokenScopes, operation: [String]) -> [String] {
        switch choice {
        case .exactly(let scopes): scopes
        case .ofOperation: hasScopes ? operation : []
        case .ofDocument: hasScopes ? scopes + operation : []
        }
    }

    /// The token endpoints for a client that acts for itself or by what it was given, the best first.
    var ofClients: [String] { [tokenURL, signInTokenURL] }
    /// Those for people who sign in.
    var ofPeople: [String] { [signInTokenURL, tokenURL] }
    /// Those for refresh tokens.
    var ofRefreshing: [String] { [refreshURL] + ofPeople }

    /// Where a client gets its tokens: what the credential says comes before what the document says.
    ///
    /// - Parameters:
    ///   - options: the credential's.
    ///   - urls: the token endpoints that will do, the best first.
    ///   - server: what relative URLs are at.
    /// - Throws: `credentialMisconfigured` where nobody says it.
    func place(
        _ options: TokenOptions, _ urls: [String], server: Origin?
    ) throws(NetworkError) -> TokenSite {
        if let url = options.endpoints?.token { return .endpoint(url, others(options, server)) }
        if let issuer = options.issuer { return .issuer(issuer) }
        if let url = urls.first(where: { !$0.isEmpty }) {
            return .endpoint(Self.absolute(url, server), others(options, server))
        }
        if let issuer = Self.issuer(metadataURL) { return .issuer(issuer) }
        throw NetworkError(
            .credentialMisconfigured,
            metadataURL.isEmpty
                ? "The document has no token endpoint. Set it by `at(tokenURL:)` or `at(issuer:)`."
                : "The document's `openIdConnectUrl` is not a well-known URL. Set the issuer by `at(issuer:)`."
        )
    }

    private func others(_ options: TokenOptions, _ server: Origin?) -> TokenEndpoint.Others {
        TokenEndpoint.Others(
            revocationURL: options.endpoints?.revocation,
            deviceAuthorizationURL: options.endpoints?.deviceAuthorization
                ?? (deviceAuthorizationURL.isEmpty ? nil : Self.absolute(deviceAuthorizationURL, server)))
    }

    /// A relative URL is at the server that is called.
    static func absolute(_ url: String, _ server: Origin?) -> String {
        guard url.hasPrefix("/"), !url.hasPrefix("//"), let server else { return url }
        return server.description + url
    }

    /// The issuer whose metadata stands at a URL (OpenID Connect Discovery 1.0 §4.1, RFC 8414 §3.1).
    static func issuer(_ url: String) -> TokenOptions.Issuer? {
        let (openID, oauth) = (
            "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"
        )
        if url.hasSuffix(openID) {
            return TokenOptions.Issuer(
                name: String(url.dropLast(openID.count)), convention: .openID, allowed: [],
                ignoresTrailingSlash: true)
        }
        guard let parsed = try? ParsedURL(url), parsed.target.hasPrefix(oauth) else { return nil }
        let path = parsed.target.dropFirst(oauth.count)
        guard path.isEmpty || path.hasPrefix("/") else { return nil }
        return TokenOptions.Issuer(
            name: parsed.origin.description + path, convention: .oauth, allowed: [])
    }
}
