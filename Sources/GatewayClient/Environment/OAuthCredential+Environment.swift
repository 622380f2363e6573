internal import GatewayAuth
public import GatewayCore
public import GatewayOpenAPI

extension OAuthCredential {
    /// The credential that the environment's variables describe, for the origins that they name; `nil` where they
    /// describe none.
    ///
    /// ```swift
    /// let environment = try GatewayEnvironment()
    /// let api = BookshopClient(
    ///     credentials: .init(bookshopAuth: .environment(environment)),
    ///     configuration: environment.configuration())
    /// ```
    /// Its scopes are those of `GATEWAY_SCOPE`, whatever an operation needs. Each has tokens of its own: make one and
    /// share it.
    ///
    /// - Parameters:
    ///   - environment: what was read.
    ///   - onTokenEvent: hears of what happens to tokens; must not block.
    public static func environment(
        _ environment: GatewayEnvironment, onTokenEvent: (@Sendable (TokenEvent) -> Void)? = nil
    ) -> OAuthCredential? {
        guard let key = environment.tokenKey,
            let authentication = environment.configuration(onTokenEvent: onTokenEvent).authentication
        else { return nil }
        return .coordinator(
            authentication.coordinator, key: key, origins: Set(environment.origins)
        ).rejectionStatuses(environment.rejectionStatuses)
    }
}

extension BearerCredential {
    /// The credential that the environment's variables describe, for the origins that they name; `nil` where they
    /// describe none. See ``OAuthCredential/environment(_:onTokenEvent:)``.
    public static func environment(
        _ environment: GatewayEnvironment, onTokenEvent: (@Sendable (TokenEvent) -> Void)? = nil
    ) -> BearerCredential? {
        OAuthCredential.environment(environment, onTokenEvent: onTokenEvent).map(BearerCredential.oauth)
    }
}
