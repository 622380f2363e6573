public import GatewayCore

extension CurlConfiguration {
    /// The oldest version of TLS that is spoken.
    @nonexhaustive
    public enum TLSVersion: Hashable, Sendable {
        /// TLS 1.2 (RFC 5246).
        case tls12
        /// TLS 1.3 (RFC 8446).
        case tls13
    }

    /// By what we show the server who we are (mutual TLS).
    public struct ClientCertificate: Hashable, Sendable {
        /// A PEM file with the certificate and those between it and its authority.
        public var certificateFile: String
        /// A PEM file with the private key.
        public var keyFile: String
        /// What the key is encrypted with, if it is.
        public var keyPassword: Secret?

        /// Makes one of two PEM files. They are read when a connection is made; where they cannot be, requests fail
        /// with `NetworkError.tlsFailure`.
        public init(certificateFile: String, keyFile: String, keyPassword: Secret? = nil) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
            self.keyPassword = keyPassword
        }
    }
}
