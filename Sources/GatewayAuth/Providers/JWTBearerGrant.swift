public import GatewayCore

/// The JWT bearer grant (RFC 7523 §2.1). Scopes and audiences come from the token key.
public struct JWTBearerGrant: TokenAcquirer {
    private enum Assertion {
        case signed(SignedAssertion)
        case source(SecretSource)
    }

    private let endpoint: TokenEndpoint
    private let assertion: Assertion

    /// Creates an acquirer that signs an assertion for each request. If the assertion has no subject, the subject of
    /// the token key is used.
    public init(endpoint: TokenEndpoint, assertion: SignedAssertion) {
        self.endpoint = endpoint
        self.assertion = .signed(assertion)
    }

    /// Creates an acquirer with an assertion that was signed elsewhere and is read for each request.
    public init(endpoint: TokenEndpoint, assertion: SecretSource) {
        self.endpoint = endpoint
        self.assertion = .source(assertion)
    }

    /// Requests a grant.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` of category `authentication`.
    public func acquire(_ request: TokenRequest) async throws -> TokenGrant {
        let parameters =
            [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer")] + request.key.parameters
        switch assertion {
        case .signed(let signed):
            return try await endpoint.grant(
                parameters, signing: signed, subject: request.key.subject, deadline: request.deadline)
        case .source(let source):
            return try await endpoint.grant(
                parameters + [("assertion", try await source.read().exposed)], deadline: request.deadline)
        }
    }

    /// `false`: the request can be repeated.
    public func isSingleUse(after previous: TokenGrant?) -> Bool { false }

    /// The binding of the endpoint.
    public var binding: DPoPBinding? { endpoint.binding }

    /// Revokes a grant (RFC 7009), if the revocation endpoint is known.
    public func revoke(_ grant: TokenGrant, deadline: Deadline) async throws {
        try await endpoint.revoke(grant, deadline: deadline)
    }
}
