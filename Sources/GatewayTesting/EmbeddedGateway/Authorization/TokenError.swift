import GatewayCore
import GatewayJSON

/// A refusal of the token endpoint (RFC 6749 §5.2).
struct TokenError: Error {
    private let code: String
    private let description: String
    private let status: Int
    private let challengeRealm: String?

    /// Makes a refusal.
    ///
    /// - Parameters:
    ///   - code: one of the standard's.
    ///   - description: a sentence in ASCII.
    ///   - challengeRealm: where the client tried `Basic`, or nothing: the challenge's realm.
    init(_ code: String, _ description: String, status: Int? = nil, challengeRealm: String? = nil) {
        self.code = code
        self.description = description
        self.status = status ?? (code == "invalid_client" ? 401 : 400)
        self.challengeRealm = challengeRealm
    }

    /// The answer.
    var reply: EmbeddedGateway.Reply {
        var reply = EmbeddedGateway.Reply.json(
            ["error": .string(code), "error_description": .string(description)], status: status)
        reply.fields[.wwwAuthenticate] = challengeRealm.map { "Basic realm=\"\($0)\"" }
        Self.forbidStoring(&reply)
        return reply
    }

    /// Answers of the token endpoint must not be stored (RFC 6749 §5.1).
    static func forbidStoring(_ reply: inout EmbeddedGateway.Reply) {
        reply.fields["Cache-Control"] = "no-store"
        reply.fields["Pragma"] = "no-cache"
    }
}
