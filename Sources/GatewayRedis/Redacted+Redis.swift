public import GatewayCore

extension RedisConfiguration: Redacted {
    /// Host and port only.
    public var description: String {
        socketPath == nil ? "Redis at \(host):\(port)" : "Redis at a Unix domain socket"
    }
}

extension RedisTokenStore: Redacted {}
