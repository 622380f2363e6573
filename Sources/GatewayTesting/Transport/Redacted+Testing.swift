public import GatewayCore

extension ChaosProxy: Redacted {
    /// The origin of the proxy.
    public var description: String { "chaos proxy at \(origin)" }
}

extension ScriptedTransport: Redacted {}
extension SimulatedNetwork: Redacted {}
extension NetworkProfile: Redacted {}

extension ScriptedTransport.Reply: Redacted {
    /// The status and the size of the body, or the error.
    public var description: String {
        switch self {
        case .response(let status, _, let body): "HTTP \(status) with \(body.count) bytes"
        case .streamed(let status, _, _): "HTTP \(status), a stream"
        case .failure(let error): "failure: \(error)"
        }
    }
}

extension CacheStoreConformance: Redacted {}
extension TokenAcquirerConformance: Redacted {}
extension TokenProviderConformance: Redacted {}
extension TokenStoreConformance: Redacted {}
