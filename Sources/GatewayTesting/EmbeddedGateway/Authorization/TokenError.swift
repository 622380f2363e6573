import GatewayCore
import GatewayJSON

/// An error response of the token endpoint (RFC 6749 §5.2).
struct TokenError: Error {
    private let code: String
    private let description: String
    private let status: Int
    private let challengeRealm: String?
    private let nonce: String?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: a registered error code.
    ///   - description: a sentence in ASCII.
    ///   - challengeRealm: the realm of a `Basic` challenge, if the client used `Basic` or no authentication.
    ///   - nonce: the nonce for the next proof of the client (RFC 9449 §8).
    init(
        _ code: String, _ description: String, status: Int? = nil, challengeRealm: String? = nil,
        nonce: String? = nil
    ) {
        self.nonce = nonce
        self.code = code
        self.description = description
        self.status = status ?? (code == "invalid_client" ? 401 : 400)
        self.challengeRealm = challengeRealm
    }

    /// The response.
    var reply: EmbeddedGateway.Reply {
        var reply = EmbeddedGateway.Reply.json(
            ["error": .string(code), "error_description": .string(description)], status: status)
        reply.fields[.wwwAuthenticate] = challengeRealm.map { "Basic realm=\"\($0)\"" }
        if let nonce { reply.fields["DPoP-Nonce"] = nonce }
        Self.forbidStoring(&reply)
        return reply
    }

    /// Responses of the token endpoint must not be stored (RFC 6749 §5.1).
    static func forbidStoring(_ reply: inout EmbeddedGateway.Reply) {
        reply.fields["Cache-Control"] = "no-store"
        reply.fields["Pragma"] = "no-cache"
    }
}

extension [String: String] {
    /// The value of a parameter that a form must have.
    func required(_ name: String) throws(TokenError) -> String {
        guard let value = self[name], !value.isEmpty else {
            throw TokenError("invalid_request", "\(name) is missing.")
        }
        return value
    }
}
