public import GatewayCore

extension ClientAuthentication: Redacted {}

extension TokenEndpoint: Redacted {
    /// The origin only: a URL may hold secrets.
    public var description: String { "token endpoint at \(origin)" }
}

extension TokenEndpoint.Others: Redacted {}

// Each holds an endpoint, a secret or its place, or a type of the user's own.
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
    /// How long the codes are valid; not the codes, which sign a person in.
    public var description: String { "prompt valid for \(expiresIn)" }
}
