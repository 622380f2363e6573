import GatewayAuth
import GatewayCore

/// A client of an authorization server, whose endpoints are configured or discovered by the issuer.
struct EnvironmentClient: Sendable {
    enum Place: Sendable {
        case endpoint(TokenEndpoint)
        case issuer(AuthorizationServerDiscovery)
    }

    let place: Place
    let authentication: ClientAuthentication
    let canStepUp: Bool
    /// Whether its connections present a certificate, for which servers may have other endpoints (RFC 8705 §5).
    let showsCertificate: Bool
    /// The key that its tokens are bound to; `nil` for bearer tokens.
    let binding: DPoPBinding?
    let transport: any Transport

    /// The issuer in the keys of its tokens.
    var issuer: String {
        switch place {
        case .endpoint(let endpoint): endpoint.key().issuer
        case .issuer(let discovery): discovery.issuer
        }
    }

    /// The acquirer of its tokens.
    ///
    /// - Parameter make: creates it for an endpoint.
    func acquirer(_ make: @escaping @Sendable (TokenEndpoint) -> any TokenAcquirer) -> any TokenAcquirer {
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

    /// Its endpoint, and the issuer's metadata if it was found by that.
    ///
    /// - Parameter deadline: when the metadata must be there.
    func discovered(
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
