public import GatewayCore

extension TokenLease: Redacted {
    /// The generation, without token and account.
    public var description: String { "access token of generation \(stamp.generation)" }
}

extension TokenRequest: Redacted {}

extension StoredToken: Redacted {
    /// Generation and login, without tokens and account.
    public var description: String { "entry of generation \(generation), login \(login)" }
}

extension StoredToken.Grant: Redacted {}
extension StoredToken.Content: Redacted {}
extension FileTokenStore: Redacted {}
extension MemoryTokenStore: Redacted {}
extension TokenRefreshCoordinator: Redacted {}
