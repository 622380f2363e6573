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
}

extension BearerCredential {
    /// The credential that the environment's variables describe, for the origins that they name; `nil` if they describe
    /// none. See ``OAuthCredential/environment(_:)-swift.type.method``.
    public static func environment(_ environment: GatewayEnvironment) -> BearerCredential? {
        OAuthCredential.environment(environment).map(BearerCredential.oauth)
    }
}
