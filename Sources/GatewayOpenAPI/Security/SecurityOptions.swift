/// How a generated client chooses among its credentials, and whom it gives them.
public struct SecurityOptions: Sendable {
    /// The schemes that are rather used than others, by the document's names, the best first: of several alternatives
    /// that are configured, the first that holds one of them. Otherwise the document's order decides.
    public var preferred: [String] = []
    /// The origins, `scheme://host[:port]`, that get the credentials beside the origin of the client's server. Some
    /// operations have a server of their own, which gets none unless it stands here.
    public var origins: [String] = []
    /// Whether a 403 with `insufficient_scope` leads to a token of further scopes, of those that the document lists for
    /// the scheme, and to one more attempt (RFC 6750 §3.1).
    public var stepsUp = true
    /// Whether connections show a client certificate, for schemes of type `mutualTLS`; `nil` asks the engine. Say it
    /// for an engine that does not tell (``GatewayCore/ClientCertificateShowing``).
    public var showsClientCertificate: Bool?

    /// The defaults.
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
