/// How a generated client selects its credentials, and which origins receive them.
public struct SecurityOptions: Sendable {
    /// Names of preferred security schemes, best first. If several alternatives are configured, the first one that
    /// contains a preferred scheme is used; otherwise the document's order decides.
    public var preferred: [String] = []
    /// Additional origins, `scheme://host[:port]`, that receive the credentials besides the origin of the client's
    /// server. An operation with its own server receives none unless its origin is listed here.
    public var origins: [String] = []
    /// Whether a 403 with `insufficient_scope` causes one more attempt with a token of more scopes (RFC 6750 §3.1).
    /// Only scopes that the document lists for the scheme are requested.
    public var stepsUp = true
    /// Whether connections use a client certificate, for schemes of type `mutualTLS`. Default: `nil`, the value of the
    /// engine's ``GatewayCore/EngineServices/showsClientCertificate``. Set it for an engine that does not report its
    /// client certificate there.
    public var showsClientCertificate: Bool?

    /// Creates options.
    public init(
        preferred: [String] = [], origins: [String] = [], stepsUp: Bool = true,
        showsClientCertificate: Bool? = nil
    ) {
        self.preferred = preferred
        self.origins = origins
        self.stepsUp = stepsUp
        self.showsClientCertificate = showsClientCertificate
    }
}
