import GatewayCore
import GatewayJSON

/// The token endpoint (RFC 6749 §3.2).
struct TokenRoute: Sendable {
    let authorization: AuthorizationServer
    let ledger: RequestLedger
    let realm: String

    /// Answers a request.
    func reply(to request: EmbeddedGateway.Request) -> EmbeddedGateway.Reply {
        let parameters = FormParameters.decode(request.body)
        let form = Dictionary(parameters.map { ($0.name, $0.value) }) { first, _ in first }
        let grantType = form["grant_type"] ?? ""
        for name in ["assertion", "client_assertion", "subject_token"] {
            if let assertion = form[name] { SecretLedger.note(Secret(assertion), .assertion) }
        }
        // What a client makes up is not counted by name, so that the counters stay few.
        let isKnown = grantType == "client_credentials" || grantType == "refresh_token"
        ledger.tokenRequest(grantType: isKnown ? grantType : "other")

        do throws(TokenError) {
            guard isForm(request.fields[.contentType]) else {
                throw TokenError("invalid_request", "The content must be a form.")
            }
            // RFC 6749 §3.2: parameters must not be repeated, and empty ones count as left out.
            guard form.count == parameters.count else {
                throw TokenError("invalid_request", "A parameter occurs more than once.")
            }
            guard !grantType.isEmpty else { throw TokenError("invalid_request", "grant_type is missing.") }
            let client = try authenticate(request.fields, form)
            switch grantType {
            case "client_credentials": return try clientCredentials(client, form)
            case "refresh_token": return try refreshToken(client, form)
            default: throw TokenError("unsupported_grant_type", "This grant type is not supported.")
            }
        } catch { return error.reply }
    }

    private func isForm(_ contentType: String?) -> Bool {
        guard let contentType else { return false }
        let type = String(contentType.prefix { $0 != ";" }).trimmingHTTPWhitespace()
        return HTTPSyntax.equalIgnoringCase(type, "application/x-www-form-urlencoded")
    }

    private func authenticate(
        _ fields: HTTPFields, _ form: [String: String]
    ) throws(TokenError) -> EmbeddedGateway.Client {
        switch ClientAuthentication.presented(fields: fields, form: form) {
        case .several:
            throw TokenError("invalid_request", "The client authenticates in more than one way.")
        case .nothing:
            throw TokenError("invalid_client", "The client must authenticate.", challengeRealm: realm)
        case .unreadable:
            throw TokenError("invalid_client", "The credential cannot be read.", challengeRealm: realm)
        case .secret(let id, let secret, let isBasic):
            guard let client = authorization.clients.first(where: { $0.id == id }), client.secret == secret
            else {
                throw TokenError(
                    "invalid_client", "The client or its secret is wrong.",
                    challengeRealm: isBasic ? realm : nil)
            }
            return client
        }
    }

    /// RFC 6749 §4.4. There is no refresh token (§4.4.3).
    private func clientCredentials(
        _ client: EmbeddedGateway.Client, _ form: [String: String]
    ) throws(TokenError) -> EmbeddedGateway.Reply {
        let scopes = try scopes(form["scope"], within: client.scopes)
        return try granted(
            AuthorizationServer.Grant(clientID: client.id, subject: client.id, scopes: scopes),
            refreshToken: nil)
    }

    /// RFC 6749 §6.
    private func refreshToken(
        _ client: EmbeddedGateway.Client, _ form: [String: String]
    ) throws(TokenError) -> EmbeddedGateway.Reply {
        guard let text = form["refresh_token"], !text.isEmpty else {
            throw TokenError("invalid_request", "refresh_token is missing.")
        }
        let token = Secret(text)
        // A scope that cannot be had must not cost the client its refresh token.
        let known = authorization.family(of: token, clientID: client.id)
        let scopes = try known.map { family throws(TokenError) in
            try self.scopes(form["scope"], within: family.scopes)
        }
        let (use, replacement) = authorization.use(token, clientID: client.id)
        guard case .good(let index, let family) = use else {
            throw TokenError("invalid_grant", "The refresh token is unknown, revoked or was used before.")
        }
        return try granted(
            AuthorizationServer.Grant(
                clientID: client.id, subject: family.subject, scopes: scopes ?? family.scopes, family: index),
            refreshToken: replacement)
    }

    private func scopes(_ asked: String?, within allowed: [String]) throws(TokenError) -> [String] {
        guard let asked, !asked.isEmpty else { return allowed }
        let scopes = asked.split(separator: " ").map(String.init)
        guard scopes.allSatisfy(allowed.contains) else {
            throw TokenError("invalid_scope", "The client cannot have that scope.")
        }
        return scopes
    }

    private func granted(
        _ grant: AuthorizationServer.Grant, refreshToken: Secret?
    ) throws(TokenError) -> EmbeddedGateway.Reply {
        guard let issued = try? authorization.issue(to: grant) else {
            throw TokenError("server_error", "The token could not be signed.", status: 500)
        }
        ledger.tokenGranted()
        var members: [String: JSONValue] = [
            "access_token": .string(issued.token.exposed), "token_type": "Bearer",
            "expires_in": .number(JSONNumber(authorization.lifetime.components.seconds)),
            "scope": .string(issued.claims.scopes.joined(separator: " ")),
        ]
        if let refreshToken { members["refresh_token"] = .string(refreshToken.exposed) }
        var reply = EmbeddedGateway.Reply.json(.object(members))
        TokenError.forbidStoring(&reply)
        return reply
    }
}
