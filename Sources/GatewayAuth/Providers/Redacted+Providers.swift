public import GatewayCore

extension ClientAuthentication: Redacted {}

extension TokenEndpoint: Redacted {
    /// Only the origin, because a URL may contain secrets.
    public var description: String { "token endpoint at \(origin)" }
}

extension TokenEndpoint.Others: Redacted {}

// Each contains an endpoint, a secret or its location, or a value of a custom type.
extension AuthorizationCode: Redacted {}
extension AuthorizationCode.Options: Redacted {}
extension LoopbackRedirect: Redacted {}
extension ChainedTokenAcquirer: Redacted {}
extension ClientCredentials: Redacted {}
extension ClosureTokenProvider: Redacted {}
extension DeviceAuthorization: Redacted {}
extension EnvironmentTokenProvider: Redacted {}
extension FileTokenProvider: Redacted {}
extension JWTBearerGrant: Redacted {}
extension ProviderAcquirer: Redacted {}
extension RefreshTokenGrant: Redacted {}
extension StaticTokenProvider: Redacted {}
extension TokenExchange: Redacted {}
extension TokenExchange.Token: Redacted {}

extension DeviceAuthorization.Prompt: Redacted {
    /// The lifetime of the codes. The codes are not shown, because they give access.
    public var description: String { "prompt valid for \(expiresIn)" }
}
