import GatewayAuth
import GatewayCore

/// Authenticates the client of a request to an endpoint of the authorization server.
struct ClientCheck: Sendable {
    let clients: [EmbeddedGateway.Client]
    let realm: String
    let assertions: AssertionCheck

    /// The authenticated client.
    ///
    /// - Throws: `invalid_client`, or `invalid_request` for several authentication methods.
    func client(
        _ request: EmbeddedGateway.Request, _ form: [String: String]
    ) throws(TokenError) -> EmbeddedGateway.Client {
        switch ClientAuthentication.presented(fields: request.fields, form: form) {
        case .several:
            throw TokenError("invalid_request", "The client authenticates in more than one way.")
        case .nothing:
            throw TokenError("invalid_client", "The client must authenticate.", challengeRealm: realm)
        case .unreadable:
            throw TokenError("invalid_client", "The credential cannot be read.", challengeRealm: realm)
        case .identifier(let id):
            guard let client = find(id), client.isPublic else {
                throw TokenError("invalid_client", "The client must authenticate.", challengeRealm: realm)
            }
            return client
        case .assertion(let text, let id): return try asserted(text, id: id, request)
        case .secret(let id, let secret, let isBasic):
            guard let client = find(id), !client.isPublic, client.secret == secret else {
                throw TokenError(
                    "invalid_client", "The client or its secret is wrong.",
                    challengeRealm: isBasic ? realm : nil)
            }
            return client
        }
    }

    private func find(_ id: String) -> EmbeddedGateway.Client? { clients.first { $0.id == id } }

    /// Authenticates with an assertion. Issuer and subject must be the client (RFC 7523 §3), and the audience must be
    /// this endpoint, the token endpoint or the server.
    private func asserted(
        _ text: String, id: String?, _ request: EmbeddedGateway.Request
    ) throws(TokenError) -> EmbeddedGateway.Client {
        let failure = TokenError("invalid_client", "The client's assertion is not good.")
        guard let claimed = try? JSONWebToken(decoding: Secret(text)), let issuer = claimed.issuer,
            id == nil || id == issuer, let client = find(issuer),
            let token = assertions.token(
                text, keys: client.assertionKeys, issuer: issuer, audiences: request.audiences),
            token.subject == issuer
        else { throw failure }
        return client
    }
}

extension EmbeddedGateway.Request {
    /// The base URL that the request was sent to.
    var base: String { "http://" + (fields["Host"] ?? "") }

    /// The accepted audiences of assertions.
    var audiences: [String] { [base, base + EmbeddedGateway.tokenPath, base + path] }
}
