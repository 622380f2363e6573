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
        let assertion: Secret =
            switch assertion {
            case .signed(let signed): try endpoint.sign(signed, subject: request.key.subject)
            case .source(let source): try await source.read()
            }
        return try await endpoint.grant(
            [
                ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"),
                ("assertion", assertion.exposed),
            ] + request.key.parameters, deadline: request.deadline)
    }

    /// Revokes a grant where the endpoint was given a revocation endpoint (RFC 7009).
    public func revoke(_ grant: TokenGrant, deadline: Deadline) async throws {
        try await endpoint.revoke(grant, deadline: deadline)
    }
}
