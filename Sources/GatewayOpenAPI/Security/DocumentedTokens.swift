internal import GatewayAuth
internal import GatewayCore

/// The token endpoints and scopes that the document defines for a scheme. Undefined texts are empty.
struct DocumentedTokens: Sendable {
    var tokenURL = ""
    /// The token endpoint of the interactive flows, if it differs.
    var signInTokenURL = ""
    var refreshURL = ""
    var authorizationURL = ""
    var deviceAuthorizationURL = ""
    /// The URL of the issuer's metadata.
    var metadataURL = ""
    /// The scopes that the document lists or that an operation requires.
    var scopes: [String] = []
    /// Whether the names in requirements are scopes. For `http` schemes they are roles, which cannot be requested.
    var hasScopes = true

    /// Splits a text of generated code at spaces.
    static func words(_ text: StaticString) -> [String] { "\(text)".split(separator: " ").map(String.init) }

    /// The scopes to request for a token.
    func scopes(_ choice: TokenScopes, operation: [String]) -> [String] {
        switch choice {
        case .exactly(let scopes): scopes
        case .ofOperation: hasScopes ? operation : []
        case .ofDocument: hasScopes ? scopes + operation : []
        }
    }

    /// The token endpoints for non-interactive grants, in order of preference.
    var ofClients: [String] { [tokenURL, signInTokenURL] }
    /// The token endpoints for interactive sign-in, in order of preference.
    var ofPeople: [String] { [signInTokenURL, tokenURL] }
    /// The token endpoints for refresh tokens, in order of preference.
    var ofRefreshing: [String] { [refreshURL] + ofPeople }

    /// Where the client obtains tokens. The options of the credential take precedence over the document.
    ///
    /// - Parameters:
    ///   - options: the options of the credential.
    ///   - urls: the possible token endpoints, in order of preference.
    ///   - server: the base of relative URLs.
    /// - Throws: `credentialMisconfigured` if neither the options nor the document have a token endpoint or issuer.
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

    /// Resolves a path against the origin of the server; any other URL is returned unchanged.
    static func absolute(_ url: String, _ server: Origin?) -> String {
        guard url.hasPrefix("/"), !url.hasPrefix("//"), let server else { return url }
        return server.description + url
    }

    /// The issuer of a metadata URL (OpenID Connect Discovery 1.0 §4.1, RFC 8414 §3.1); `nil` for any other URL.
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
