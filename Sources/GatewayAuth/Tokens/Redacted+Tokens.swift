public import GatewayCore

extension TokenLease: Redacted {
    /// The generation; neither the token nor whose it is.
    public var description: String { "access token of generation \(stamp.generation)" }
}

extension TokenRequest: Redacted {}

extension StoredToken: Redacted {
    /// Generation and login; neither tokens nor whose they are.
    public var description: String { "entry of generation \(generation), login \(login)" }
}

extension StoredToken.Grant: Redacted {}
extension StoredToken.Content: Redacted {}
extension FileTokenStore: Redacted {}
extension MemoryTokenStore: Redacted {}
extension TokenRefreshCoordinator: Redacted {}
