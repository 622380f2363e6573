internal import GatewayAuth
internal import GatewayCore

/// The location of an authorization server's endpoints: fixed URLs, or the metadata of an issuer.
enum TokenSite: Sendable {
    case endpoint(String, TokenEndpoint.Others)
    case issuer(TokenOptions.Issuer)

    /// The connections that token requests use.
    struct Connections: Sendable {
        let transport: any Transport
        /// Whether they use a client certificate. A server can have separate endpoints for such connections (RFC 8705
        /// §5).
        let showCertificate: Bool
        /// The hosts that are called over plain HTTP.
        var plainHTTP: PlainHTTPHosts = .none
    }

    /// A text that identifies the location.
    var name: String {
        switch self {
        case .endpoint(let url, _): "at " + url
        case .issuer(let issuer): "of " + issuer.name
        }
    }

    /// Creates a client of the authorization server.
    ///
    /// - Throws: `invalidURL` or `insecureOrigin`, before any I/O.
    func client(
        _ authentication: ClientAuthentication, binding: DPoPBinding?, _ connections: Connections
    ) throws(NetworkError) -> AuthorizationClient {
        let place: AuthorizationClient.Place
        switch self {
        case .endpoint(let url, let others):
            place = .endpoint(
                try TokenEndpoint(
                    url, client: authentication, others: others, binding: binding,
                    transport: connections.transport, plainHTTP: connections.plainHTTP))
        case .issuer(let issuer):
            place = .issuer(
                try AuthorizationServerDiscovery(
                    issuer: issuer.name, convention: issuer.convention, allowing: issuer.allowed,
                    ignoresTrailingSlash: issuer.ignoresTrailingSlash, transport: connections.transport,
                    plainHTTP: connections.plainHTTP))
        }
        return AuthorizationClient(
            place, authentication: authentication, binding: binding,
            showsCertificate: connections.showCertificate, transport: connections.transport)
    }
}

extension AuthorizationClient {
    /// The key of a credential's tokens.
    func key(_ options: TokenOptions, scopes: [String], tenant: String?) -> TokenKey {
        key(
            tenant: tenant, subject: options.subject, scopes: scopes, audiences: options.audiences,
            resources: options.resources)
    }
}
