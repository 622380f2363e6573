import GatewayCore

/// The authorization response in the redirect request (RFC 6749 §4.1.2, RFC 9207).
struct AuthorizationResponse {
    private let parameters: [(name: String, value: String)]

    /// Parses the query of the redirect.
    init(query: String) { parameters = URLEncodedForm.decode(query.utf8) }

    /// The value of a parameter; `nil` if it is missing or duplicate.
    private func one(_ name: String) -> String? {
        let values = parameters.filter { $0.name == name }
        return values.count == 1 ? values[0].value : nil
    }

    private func has(_ name: String) -> Bool { parameters.contains { $0.name == name } }

    /// The accepted issuers of a response.
    enum Issuer {
        /// This issuer.
        case named(String)
        /// No issuer, because the server's identifier is unknown.
        case unknown
        /// Any issuer: the client uses a single server.
        case ignored
    }

    /// Whether the response belongs to a request with this state.
    func hasState(_ state: String) -> Bool { one("state").map { Secret($0) == Secret(state) } ?? false }

    /// The code of a response to this request from the expected server.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` with the code `authorizationDenied` if the user denied the
    ///   request, or `interactionRequired` for any other response.
    func code(
        state: String, issuer: Issuer, requiresIssuer: Bool, origin: Origin
    ) throws(NetworkError) -> Secret {
        func failure(_ code: NetworkError.Code, _ message: String) -> NetworkError {
            NetworkError(code, message, origin: origin)
        }
        // A response with another state is ignored completely, including its error.
        guard hasState(state) else {
            throw failure(.interactionRequired, "The authorization response does not belong to this sign-in.")
        }
        switch issuer {
        case .named(let issuer) where has("iss") || requiresIssuer:
            guard let told = one("iss"), told.utf8.elementsEqual(issuer.utf8) else {
                throw failure(.interactionRequired, "The authorization response comes from another issuer.")
            }
        case .unknown where has("iss") || requiresIssuer:
            throw failure(
                .interactionRequired,
                "The authorization response names its issuer, and none is configured: set the issuer.")
        default: break
        }
        if let error = one("error") {
            // The state is the only secret of this sign-in that the server knows.
            let statement = ServerStatement(
                error: error, description: one("error_description"), secrets: [Secret(state)])
            let said = statement.text.map { ": \($0)." } ?? "."
            switch error {
            case "access_denied": throw failure(.authorizationDenied, "The sign-in was denied\(said)")
            case "temporarily_unavailable", "server_error":
                throw failure(
                    .tokenUnavailable, "The authorization server is not available at the moment\(said)")
            case "login_required", "consent_required", "interaction_required":
                throw failure(
                    .interactionRequired, "The authorization server requires the person to act\(said)")
            default:
                throw failure(
                    .credentialMisconfigured,
                    "The authorization server does not accept the request\(said) Check the client and the scopes."
                )
            }
        }
        guard !has("error"), let code = one("code"), !code.isEmpty else {
            throw failure(.interactionRequired, "The authorization response has no code.")
        }
        return Secret(code)
    }
}
