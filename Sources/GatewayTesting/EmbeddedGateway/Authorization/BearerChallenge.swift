import GatewayCore

/// The error responses of the credential check (RFC 6750 §3).
struct BearerChallenge {
    let realm: String

    /// There is no credential: the challenge has no error (RFC 6750 §3.1).
    func missing() -> EmbeddedGateway.Reply { reply(401, "A bearer token is needed.", []) }

    /// The credential is malformed.
    func malformed() -> EmbeddedGateway.Reply {
        reply(
            400, "The credential is malformed.",
            [("error", "invalid_request"), ("error_description", "The credential is malformed")])
    }

    /// The token is expired, revoked or unknown.
    func invalid(_ description: String) -> EmbeddedGateway.Reply {
        reply(401, description + ".", [("error", "invalid_token"), ("error_description", description)])
    }

    /// The proof of a bound token is missing or invalid (RFC 9449 §7.1, §9).
    func unproven(_ code: String) -> EmbeddedGateway.Reply {
        var reply = EmbeddedGateway.Reply.problem(401, "The proof is missing or wrong.")
        reply.fields[.wwwAuthenticate] = "DPoP realm=\"\(realm)\", error=\"\(code)\", algs=\"ES256 ES384\""
        return reply
    }

    /// The token is valid, but its scopes are not sufficient.
    func insufficient(needed scopes: [String]) -> EmbeddedGateway.Reply {
        reply(
            403, "The token's scope does not allow it.",
            [
                ("error", "insufficient_scope"),
                ("error_description", "The token's scope does not allow it"),
                ("scope", scopes.joined(separator: " ")),
            ])
    }

    private func reply(_ status: Int, _ detail: String, _ attributes: [(String, String)])
        -> EmbeddedGateway.Reply
    {
        var reply = EmbeddedGateway.Reply.problem(status, detail)
        let all = [("realm", realm)] + attributes
        reply.fields[.wwwAuthenticate] =
            "Bearer " + all.map { "\($0.0)=\"\($0.1)\"" }.joined(separator: ", ")
        return reply
    }
}
