import GatewayAuth
import GatewayCore

/// A client of an authorization server, whose endpoints were named or are found by the issuer's name.
struct EnvironmentClient: Sendable {
    enum Place: Sendable {
        case endpoint(TokenEndpoint)
        case issuer(AuthorizationServerDiscovery)
    }

    let place: Place
    let authentication: ClientAuthentication
    let canStepUp: Bool
    /// Whether its connections show a certificate, for which servers may have other endpoints (RFC 8705 §5).
    let showsCertificate: Bool
    /// What its tokens are bound to; `nil` for bearer tokens.
    let binding: DPoPBinding?
    let transport: any Transport

    /// The name under which its tokens' issuer is known.
    var issuer: String {
        switch place {
        case .endpoint(let endpoint): endpoint.key().issuer
        case .issuer(let discovery): discovery.issuer
        }
    }

    /// What gets its tokens.
    ///
    /// - Parameter make: makes it for an endpoint.
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

    /// Its endpoint.
    func endpoint() async throws(NetworkError) -> TokenEndpoint {
        switch place {
        case .endpoint(let endpoint): endpoint
        case .issuer(let discovery): try endpoint(try await discovery.metadata())
        }
    }

    private func endpoint(_ metadata: AuthorizationServerMetadata) throws(NetworkError) -> TokenEndpoint {
        try TokenEndpoint(
            metadata, client: authentication, binding: binding, usesMutualTLS: showsCertificate,
            transport: transport)
    }
}
