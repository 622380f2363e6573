internal import GatewayAuth
internal import GatewayCore

/// Where the endpoints of an authorization server are.
enum TokenSite: Sendable {
    case endpoint(String, TokenEndpoint.Others)
    case issuer(TokenOptions.Issuer)

    /// What makes the exchanges.
    struct Connections: Sendable {
        let transport: any Transport
        /// Whether they show a certificate, for which servers may have other endpoints (RFC 8705 §5).
        let showCertificate: Bool
        /// The hosts that are called over plain HTTP.
        var plainHTTP: PlainHTTPHosts = .none
    }

    /// Tells places apart.
    var name: String {
        switch self {
        case .endpoint(let url, _): "at " + url
        case .issuer(let issuer): "of " + issuer.name
        }
    }

    /// A client of the server.
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
    /// The key of the tokens that a credential has.
    func key(_ options: TokenOptions, scopes: [String], tenant: String?) -> TokenKey {
        key(
            tenant: tenant, subject: options.subject, scopes: scopes, audiences: options.audiences,
            resources: options.resources)
    }
}
