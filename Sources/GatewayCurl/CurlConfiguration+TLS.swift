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

        /// Makes a client certificate from two PEM files. They are read for each new connection; if they cannot be used,
        /// requests fail with `NetworkError.tlsFailure`. A second after they have changed no request uses a connection or a
        /// session of TLS that was made with the old ones, and none does after ``CurlTransport/dropIdleConnections()``.
        public init(certificateFile: String, keyFile: String, keyPassword: Secret? = nil) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
            self.keyPassword = keyPassword
        }
    }

    /// The file with the certificates that are trusted: the configured one, else the system's.
    var trustedFile: String? { caFile ?? CurlLibrary.trustedCertificates }

    /// The files that TLS is set up with.
    var trustFiles: [String] {
        [trustedFile, clientCertificate?.certificateFile, clientCertificate?.keyFile].compactMap { $0 }
    }
}
