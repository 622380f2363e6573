/// An engine or a transport that knows whether its connections show a client certificate (RFC 8446 §4.4.2): for calls
/// that demand one.
public protocol ClientCertificateShowing: Sendable {
    /// Whether a server that asks for a client's certificate gets one.
    var showsClientCertificate: Bool { get }
}
