public import GatewayCore

extension CurlConfiguration {
    /// A minimum TLS version.
    @nonexhaustive
    public enum TLSVersion: Hashable, Sendable {
        /// TLS 1.2 (RFC 5246).
        case tls12
        /// TLS 1.3 (RFC 8446).
        case tls13
    }

    /// A client certificate for mutual TLS.
    public struct ClientCertificate: Hashable, Sendable {
        /// A PEM file with the certificate and its intermediate certificates.
        public var certificateFile: String
        /// A PEM file with the private key.
        public var keyFile: String
        /// The password of the private key, if it is encrypted.
        public var keyPassword: Secret?

        /// Creates a client certificate from two PEM files. They are read for each new connection; if they cannot be
        /// used, requests fail with `NetworkError.tlsFailure`. When the files change, connections and TLS sessions with
        /// the old certificate are not used after one second, or after ``CurlTransport/dropIdleConnections()``.
        public init(certificateFile: String, keyFile: String, keyPassword: Secret? = nil) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
            self.keyPassword = keyPassword
        }
    }

    /// The file with the trusted certificates: the configured one, otherwise the system's.
    var trustedFile: String? { caFile ?? CurlLibrary.trustedCertificates }

    /// The files that are used for TLS.
    var trustFiles: [String] {
        [trustedFile, clientCertificate?.certificateFile, clientCertificate?.keyFile].compactMap { $0 }
    }
}
