import GatewayAuth
import GatewayCore
import GatewayJSON

/// Grants with tokens of other issuers.
extension TokenRoute {
    /// The JWT bearer grant (RFC 7523 §2.1).
    func assertion(
        _ client: EmbeddedGateway.Client, _ form: [String: String], _ request: EmbeddedGateway.Request
    ) throws(TokenError) -> Granted {
        let text = try form.required("assertion")
        guard let token = trusted(text, request, isSingleUse: true), let subject = token.subject else {
            throw TokenError("invalid_grant", "The assertion is not good.")
        }
        let scopes = try scopes(form["scope"], within: client.scopes)
        return Granted(grant: .init(clientID: client.id, subject: subject, scopes: scopes))
    }

    /// Token exchange (RFC 8693 §2.1). Tokens of trusted issuers and our own access tokens are accepted.
    func exchange(
        _ client: EmbeddedGateway.Client, _ form: [String: String], _ request: EmbeddedGateway.Request
    ) throws(TokenError) -> Granted {
        let prefix = "urn:ietf:params:oauth:token-type:"
        let (text, type) = (try form.required("subject_token"), try form.required("subject_token_type"))
        guard (form["actor_token"] == nil) == (form["actor_token_type"] == nil) else {
            throw TokenError("invalid_request", "An actor's token and its type come together.")
        }
        let requested = form["requested_token_type"] ?? prefix + "access_token"
        guard requested == prefix + "access_token" || requested == prefix + "jwt" else {
            throw TokenError("invalid_request", "Such tokens are not issued.")
        }
        let subject: String?
        switch type {
        case prefix + "access_token": subject = authorization.tokens.read(Secret(text))?.subject
        case prefix + "jwt", prefix + "id_token":
            subject = trusted(text, request, isSingleUse: false)?.subject
        default: subject = nil
        }
        guard let subject else { throw TokenError("invalid_request", "The subject's token is not good.") }
        if let actor = form["actor_token"], authorization.tokens.read(Secret(actor)) == nil {
            throw TokenError("invalid_request", "The actor's token is not good.")
        }
        if let target = form["audience"], target == "https://nowhere.example" {
            throw TokenError("invalid_target", "There is no such audience.")
        }
        let scopes = try scopes(form["scope"], within: client.scopes)
        var granted = Granted(
            grant: .init(clientID: client.id, subject: subject, scopes: scopes))
        granted.members["issued_token_type"] = .string(requested)
        return granted
    }

    private func trusted(
        _ text: String, _ request: EmbeddedGateway.Request, isSingleUse: Bool
    ) -> JSONWebToken? {
        guard let issuer = (try? JSONWebToken(decoding: Secret(text)))?.issuer,
            let key = authorization.trustedIssuers[issuer]
        else { return nil }
        if isSingleUse {
            return clientCheck.assertions.token(
                text, keys: [key], issuer: issuer, audiences: request.audiences)
        }
        var requirements = JSONWebTokenRequirements(issuer: issuer, audience: nil)
        requirements.leeway = .seconds(10)
        guard let token = try? JSONWebToken.verify(Secret(text), key: key),
            (try? token.check(requirements, unixTime: authorization.clock.unixTime)) != nil
        else { return nil }
        return token
    }
}
