public import GatewayOpenAPI

extension OAuthCredential {
    /// The credential that the environment's variables describe, for the origins that they name; `nil` if they describe
    /// none.
    ///
    /// A client over an engine of the environment needs no credential: it has the engine's. This one is for clients over
    /// another engine:
    ///
    /// ```swift
    /// let environment = try GatewayEnvironment()
    /// let api = BookshopClient(credentials: .init(bookshopAuth: .environment(environment)), engine: engine)
    /// ```
    /// Its scopes are those of `GATEWAY_SCOPE`, regardless of the operation. It shares its tokens with the engines of the
    /// environment.
    public static func environment(_ environment: GatewayEnvironment) -> OAuthCredential? {
        guard let key = environment.tokenKey, let tokens = environment.tokens else { return nil }
        return .coordinator(tokens.coordinator, key: key, origins: Set(environment.origins))
            .rejectionStatuses(environment.rejectionStatuses)
    }

    /// Sets the endpoints that the environment's variables name, in place of the document's: `GATEWAY_ISSUER`, or
    /// `GATEWAY_TOKEN_URL` and the other URLs. Without these variables the credential is unchanged.
    ///
    /// ```swift
    /// let environment = try GatewayEnvironment(requiresClient: false)
    /// let api = BookshopClient(
    ///     server: .init(environment, or: .production),
    ///     credentials: .init(bookshopAuth: .clientCredentials(id: id, secret: secret).at(environment)))
    /// ```
    public func at(_ environment: GatewayEnvironment) -> OAuthCredential {
        switch environment.endpoints {
        case .issuer(let issuer, let convention, let ignoresTrailingSlash):
            at(issuer: issuer, convention: convention, ignoresTrailingSlash: ignoresTrailingSlash)
        case .urls(let token, let revocation, let device, let authorization):
            at(
                tokenURL: token, revocationURL: revocation, deviceAuthorizationURL: device,
                authorizationURL: authorization)
        case nil: self
        }
    }
}

extension BearerCredential {
    /// The credential that the environment's variables describe, for the origins that they name; `nil` if they describe
    /// none. See the same method of ``OAuthCredential``.
    public static func environment(_ environment: GatewayEnvironment) -> BearerCredential? {
        OAuthCredential.environment(environment).map(BearerCredential.oauth)
    }
}
