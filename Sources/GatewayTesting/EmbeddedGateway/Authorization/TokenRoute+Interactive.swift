import GatewayCore
import GatewayJSON

/// Grants that a user has to approve.
extension TokenRoute {
    /// The authorization code grant (RFC 6749 §4.1.3, RFC 7636 §4.5).
    func authorizationCode(
        _ client: EmbeddedGateway.Client, _ form: [String: String], _ proven: String?
    ) throws(TokenError) -> Granted {
        let (text, verifier) = (try form.required("code"), try form.required("code_verifier"))
        guard
            let code = authorization.codes.use(
                text, clientID: client.id, redirectURI: form["redirect_uri"], verifier: verifier,
                now: authorization.clock.now)
        else { throw TokenError("invalid_grant", "The code, its verifier or its redirect URI is wrong.") }
        var granted = family(client, subject: code.subject, scopes: code.scopes, proven)
        if code.scopes.contains("openid") {
            guard
                let token = try? authorization.idToken(for: code)
            else { throw TokenError("server_error", "The ID token could not be signed.", status: 500) }
            granted.members["id_token"] = .string(token.exposed)
        }
        return granted
    }

    /// The device code grant (RFC 8628 §3.4).
    func deviceCode(
        _ client: EmbeddedGateway.Client, _ form: [String: String], _ proven: String?
    ) throws(TokenError) -> Granted {
        let code = try form.required("device_code")
        let (subject, scopes) = try authorization.devices.ask(
            code, clientID: client.id, now: authorization.clock.now)
        return family(client, subject: subject, scopes: scopes, proven)
    }

    private func family(
        _ client: EmbeddedGateway.Client, subject: String, scopes: [String], _ proven: String?
    ) -> Granted {
        let (family, token) = authorization.startFamily(
            clientID: client.id, subject: subject, scopes: scopes,
            keyThumbprint: client.isPublic ? proven : nil)
        return Granted(
            grant: .init(clientID: client.id, subject: subject, scopes: scopes, family: family),
            refreshToken: token)
    }
}
