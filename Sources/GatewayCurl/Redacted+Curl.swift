public import GatewayCore

// Proxies have users, `userAgent` is a header value, and certificates and keys have paths.
extension CurlConfiguration: Redacted {}

extension CurlConfiguration.Proxy: Redacted {
    /// Host and port only.
    public var description: String { "proxy \(host):\(port)" }
}

extension CurlConfiguration.ClientCertificate: Redacted {}
extension CurlTransport: Redacted {}
