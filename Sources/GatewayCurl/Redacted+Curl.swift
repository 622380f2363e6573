public import GatewayCore

// A configuration holds user names of proxies, a field value (`userAgent`) and paths of certificates and keys.
extension CurlConfiguration: Redacted {}

extension CurlConfiguration.Proxy: Redacted {
    /// Host and port only.
    public var description: String { "proxy \(host):\(port)" }
}

extension CurlConfiguration.ClientCertificate: Redacted {}
extension CurlTransport: Redacted {}
