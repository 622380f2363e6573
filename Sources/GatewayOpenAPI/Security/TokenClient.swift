internal import GatewayAuth
internal import GatewayCore

/// A client of an authorization server, whose endpoints were named or are found by the issuer's name.
struct TokenClient: Sendable {
    /// Where its endpoints are.
    enum Site: Sendable {
        case endpoint(String, TokenEndpoint.Others)
        case issuer(TokenOptions.Issuer)

        /// Tells places apart.
        var name: String {
            switch self {
            case .endpoint(let url, _): "at " + url
            case .issuer(let issuer): "of " + issuer.name
            }
        }
    }

    /// What makes the exchanges.
    struct Connections: Sendable {
        let transport: any Transport
        /// Whether they show a certificate, for which servers may have other endpoints (RFC 8705 §5).
        let showCertificate: Bool
        /// The hosts that are called over plain HTTP.
        var plainHTTP: PlainHTTPHosts = .none
    }

    private enum Place: Sendable {
        case endpoint(TokenEndpoint)
        case issuer(AuthorizationServerDiscovery)
    }

    private let place: Place
    private let authentication: ClientAuthentication
    private let binding: DPoPBinding?
    private let connections: Connections

    /// - Throws: `invalidURL` or `insecureOrigin`, before any I/O.
    init(
        _ site: Site, _ authentication: ClientAuthentication, binding: DPoPBinding?,
        _ connections: Connections
    ) throws(NetworkError) {
        switch site {
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
        self.authentication = authentication
        self.binding = binding
        self.connections = connections
    }

    /// The key of its tokens.
    func key(_ options: TokenOptions, scopes: [String], tenant: String?) -> TokenKey {
        switch place {
        case .endpoint(let endpoint):
            endpoint.key(
                scopes: scopes, audiences: options.audiences, resources: options.resources, tenant: tenant,
                subject: options.subject)
        case .issuer(let discovery):
            TokenKey(
                issuer: discovery.issuer, client: authentication.clientID, tenant: tenant,
                subject: options.subject, scopes: scopes, audiences: options.audiences,
                resources: options.resources, binding: binding?.thumbprint)
        }
    }

    /// What gets its tokens.
    ///
    /// - Parameters:
    ///   - canStepUp: see ``GatewayAuth/TokenAcquirer/canStepUp``.
    ///   - make: makes it for an endpoint.
    func acquirer(
        canStepUp: Bool, _ make: @escaping @Sendable (TokenEndpoint) -> any TokenAcquirer
    ) -> any TokenAcquirer {
        switch place {
        case .endpoint(let endpoint): make(endpoint)
        case .issuer(let discovery):
            DiscoveredTokenAcquirer(
                discovery, binding: binding, canStepUp: canStepUp, isSingleUse: !canStepUp
            ) { [self] metadata in
                make(try endpoint(metadata))
            }
        }
    }

    /// Its endpoint, with the issuer's metadata where it is found by that.
    func endpoint(
        deadline: Deadline?
    ) async throws(NetworkError) -> (TokenEndpoint, AuthorizationServerMetadata?) {
        switch place {
        case .endpoint(let endpoint): return (endpoint, nil)
        case .issuer(let discovery):
            let metadata = try await discovery.metadata(deadline: deadline)
            return (try endpoint(metadata), metadata)
        }
    }

    private func endpoint(_ metadata: AuthorizationServerMetadata) throws(NetworkError) -> TokenEndpoint {
        try TokenEndpoint(
            metadata, client: authentication, binding: binding,
            usesMutualTLS: connections.showCertificate, transport: connections.transport)
    }
}
