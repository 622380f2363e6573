public import GatewayCore

extension EmbeddedGateway: Redacted {
    /// The origin of the API.
    public var description: String { "gateway at \(origin)" }
}

extension EmbeddedGateway.Reply: Redacted {
    /// The status and the size of the body.
    public var description: String { "HTTP \(status) with \(body.count) bytes" }
}

extension EmbeddedGateway.Client: Redacted {}
extension EmbeddedGateway.Configuration: Redacted {}
extension EmbeddedGateway.Fault: Redacted {}
extension EmbeddedGateway.InjectedFault: Redacted {}
extension EmbeddedGateway.IssuedAccessToken: Redacted {}
extension EmbeddedGateway.SignedIn: Redacted {}
extension EmbeddedGateway.Signing: Redacted {}
