package import GatewayCore

/// A client of an authorization server, whose endpoints are configured or discovered by the issuer.
package struct AuthorizationClient: Sendable {
    package enum Place: Sendable {
        case endpoint(TokenEndpoint)
        case issuer(AuthorizationServerDiscovery)
    }

    private let place: Place
    private let authentication: ClientAuthentication
    private let binding: DPoPBinding?
    private let showsCertificate: Bool
    package let transport: any Transport

    /// - Parameters:
    ///   - place: where the endpoints are.
    ///   - authentication: how the client authenticates.
    ///   - binding: the key that tokens are bound to; `nil` for bearer tokens.
    ///   - showsCertificate: whether the connections present a certificate, for which servers may have other endpoints
    ///     (RFC 8705 §5).
    ///   - transport: makes the exchanges.
    package init(
        _ place: Place, authentication: ClientAuthentication, binding: DPoPBinding?, showsCertificate: Bool,
        transport: any Transport
    ) {
        self.place = place
        self.authentication = authentication
        self.binding = binding
        self.showsCertificate = showsCertificate
        self.transport = transport
    }

    /// The key of its tokens.
    package func key(
        tenant: String? = nil, subject: String?, scopes: [String], audiences: [String], resources: [String]
    ) -> TokenKey {
        let issuer =
            switch place {
            case .endpoint(let endpoint): endpoint.key().issuer
            case .issuer(let discovery): discovery.issuer
            }
        return TokenKey(
            issuer: issuer, client: authentication.clientID, tenant: tenant, subject: subject, scopes: scopes,
            audiences: audiences, resources: resources, binding: binding?.thumbprint)
    }

    /// The acquirer of its tokens.
    ///
    /// - Parameters:
    ///   - canStepUp: see ``TokenAcquirer/canStepUp``.
    ///   - make: creates it for an endpoint.
    package func acquirer(
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

    /// Its endpoint, and the issuer's metadata if it is discovered.
    ///
    /// - Parameter deadline: when the metadata must be there.
    package func endpoint(
        deadline: Deadline? = nil
    ) async throws(NetworkError) -> (endpoint: TokenEndpoint, metadata: AuthorizationServerMetadata?) {
        switch place {
        case .endpoint(let endpoint): return (endpoint, nil)
        case .issuer(let discovery):
            let metadata = try await discovery.metadata(deadline: deadline)
            return (try endpoint(metadata), metadata)
        }
    }

    private func endpoint(_ metadata: AuthorizationServerMetadata) throws(NetworkError) -> TokenEndpoint {
        try TokenEndpoint(
            metadata, client: authentication, binding: binding, usesMutualTLS: showsCertificate,
            transport: transport)
    }
}
