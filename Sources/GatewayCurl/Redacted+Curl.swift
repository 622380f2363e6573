public import GatewayCore

// A configuration contains user names of proxies, a field value (`userAgent`) and paths of certificates and keys.
extension CurlConfiguration: Redacted {}

extension CurlConfiguration.Proxy: Redacted {
    /// Only host and port.
    public var description: String { "proxy \(host):\(port)" }
}

extension CurlConfiguration.ClientCertificate: Redacted {}
extension CurlTransport: Redacted {}
