import GatewayCore

/// What a browser brings back from the authorization server (RFC 6749 §4.1.2, RFC 9207).
struct AuthorizationResponse {
    private let parameters: [(name: String, value: String)]

    /// Reads the query of the redirect.
    init(query: String) { parameters = FormEncoding.decode(query) }

    /// The one value of a parameter; `nil` where it is missing or occurs twice.
    private func one(_ name: String) -> String? {
        let values = parameters.filter { $0.name == name }
        return values.count == 1 ? values[0].value : nil
    }

    private func has(_ name: String) -> Bool { parameters.contains { $0.name == name } }

    /// The code, of an answer to our own question from the server that was asked.
    ///
    /// - Throws: ``GatewayCore/NetworkError``; `interactionRequired` for any other answer, `authorizationDenied` for a
    ///   refusal.
    func code(
        state: String, issuer: String?, requiresIssuer: Bool, origin: Origin
    ) throws(NetworkError) -> Secret {
        func failure(_ code: NetworkError.Code, _ message: String) -> NetworkError {
            NetworkError(code, message, origin: origin)
        }
        // Nothing of an answer to somebody else's question is believed, its error neither.
        guard let told = one("state"), Secret(told) == Secret(state) else {
            throw failure(.interactionRequired, "What came back is no answer to this sign-in.")
        }
        if has("iss") || requiresIssuer {
            guard let told = one("iss"), let issuer, told.utf8.elementsEqual(issuer.utf8) else {
                throw failure(.interactionRequired, "The answer comes from another issuer.")
            }
        }
        switch one("error") {
        case nil: break
        case "access_denied": throw failure(.authorizationDenied, "Whoever was asked has refused.")
        case "temporarily_unavailable", "server_error":
            throw failure(.tokenUnavailable, "The server could not let anybody sign in.")
        case "login_required", "consent_required", "interaction_required":
            throw failure(.interactionRequired, "The server wants a person to act.")
        default: throw failure(.credentialMisconfigured, "The server does not take the request.")
        }
        guard !has("error"), let code = one("code"), !code.isEmpty else {
            throw failure(.interactionRequired, "The answer holds no code.")
        }
        return Secret(code)
    }
}
