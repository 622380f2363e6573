public import GatewayCore

/// The JWT bearer grant: an assertion for an access token (RFC 7523 §2.1). Scopes and audiences come from the key.
public struct JWTBearerGrant: TokenAcquirer {
    private enum Assertion {
        case signed(SignedAssertion)
        case source(SecretSource)
    }

    private let endpoint: TokenEndpoint
    private let assertion: Assertion

    /// Signs the assertion anew for each request. Where it names no subject, it speaks of the key's.
    public init(endpoint: TokenEndpoint, assertion: SignedAssertion) {
        self.endpoint = endpoint
        self.assertion = .signed(assertion)
    }

    /// Takes an assertion that somebody else has signed, read anew for each request.
    public init(endpoint: TokenEndpoint, assertion: SecretSource) {
        self.endpoint = endpoint
        self.assertion = .source(assertion)
    }

    /// Gets a grant.
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

    /// `false`: it spends nothing.
    public func isSingleUse(after previous: TokenGrant?) -> Bool { false }

    /// The endpoint's.
    public var binding: DPoPBinding? { endpoint.binding }

    /// Revokes a grant where the endpoint was given a revocation endpoint (RFC 7009).
    public func revoke(_ grant: TokenGrant, deadline: Deadline) async throws {
        try await endpoint.revoke(grant, deadline: deadline)
    }
}
