import GatewayAuth
import GatewayCore
import GatewayJSON

/// The endpoints of the authorization server other than the token endpoint.
struct AuthorizationRoutes: Sendable {
    let authorization: AuthorizationServer
    let clientCheck: ClientCheck
    let tokens: TokenRoute

    func add(to routes: inout RouteTable) {
        routes.add(.post, "/oauth/revoke", access: .open, .immediate { form($0, revoke) })
        routes.add(.post, "/oauth/introspect", access: .open, .immediate { form($0, introspect) })
        routes.add(
            .post, "/oauth/device_authorization", access: .open,
            .immediate { form($0, deviceAuthorization) })
        routes.add(.get, "/oauth/authorize", access: .open, .immediate(authorize))
        for path in ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"] {
            routes.add(.get, path, access: .open, .immediate(metadata))
        }
    }

    private typealias Handler = (
        EmbeddedGateway.Request, EmbeddedGateway.Client, [String: String]
    ) throws(TokenError) -> EmbeddedGateway.Reply

    private func form(
        _ request: EmbeddedGateway.Request, _ handler: Handler
    ) -> EmbeddedGateway.Reply {
        let parameters = URLEncodedForm.decode(request.body)
        let form = Dictionary(parameters.map { ($0.name, $0.value) }) { first, _ in first }
        do throws(TokenError) {
            try FormCheck.check(request, parameters)
            var reply = try handler(request, try clientCheck.client(request, form), form)
            TokenError.forbidStoring(&reply)
            return reply
        } catch { return error.reply }
    }

    /// Token revocation (RFC 7009 §2).
    private func revoke(
        _ request: EmbeddedGateway.Request, _ client: EmbeddedGateway.Client, _ form: [String: String]
    ) throws(TokenError) -> EmbeddedGateway.Reply {
        let token = try form.required("token")
        authorization.revoke(Secret(token), clientID: client.id)
        return .status(200)
    }

    /// Token introspection (RFC 7662 §2).
    private func introspect(
        _ request: EmbeddedGateway.Request, _ client: EmbeddedGateway.Client, _ form: [String: String]
    ) throws(TokenError) -> EmbeddedGateway.Reply {
        let token = try form.required("token")
        guard let claims = authorization.tokens.read(Secret(token)), authorization.isGood(claims) else {
            return .json(["active": false])
        }
        return .json([
            "active": true, "iss": .string(claims.issuer), "sub": .string(claims.subject),
            "client_id": .string(claims.clientID), "scope": .string(claims.scopes.joined(separator: " ")),
            "token_type": claims.keyThumbprint == nil ? "Bearer" : "DPoP",
            "iat": .number(JSONNumber(claims.issuedAt)), "exp": .number(JSONNumber(claims.expiresAt)),
        ])
    }

    /// Device authorization (RFC 8628 §3.1, §3.2).
    private func deviceAuthorization(
        _ request: EmbeddedGateway.Request, _ client: EmbeddedGateway.Client, _ form: [String: String]
    ) throws(TokenError) -> EmbeddedGateway.Reply {
        let scopes = try tokens.scopes(form["scope"], within: client.scopes)
        let (deviceCode, word) = (authorization.makeToken(words: 2), authorization.makeToken(words: 1))
        let userCode = "\(word.prefix(4))-\(word.dropFirst(4).prefix(4))".uppercased()
        authorization.devices.add(
            deviceCode, userCode: userCode, clientID: client.id, scopes: scopes, now: authorization.clock.now)
        let uri = request.base + "/device"
        var members: [String: JSONValue] = [
            "device_code": .string(deviceCode), "user_code": .string(userCode),
            "verification_uri": .string(uri),
            "verification_uri_complete": .string("\(uri)?user_code=\(userCode)"),
            "expires_in": .number(JSONNumber(authorization.devices.lifetime.wholeSeconds)),
        ]
        if let interval = authorization.devices.interval {
            members["interval"] = .number(JSONNumber(interval.wholeSeconds))
        }
        return .json(.object(members))
    }

    /// The authorization endpoint (RFC 6749 §4.1.1, §4.1.2; RFC 7636 §4.3; RFC 9207). The user `reader` approves
    /// immediately; with the scope `no` the request is denied.
    private func authorize(_ request: EmbeddedGateway.Request) -> EmbeddedGateway.Reply {
        func one(_ name: String) -> String? { request.query(name).count == 1 ? request.query(name)[0] : nil }

        guard let id = one("client_id"), let client = authorization.clients.first(where: { $0.id == id }),
            let redirectURI = one("redirect_uri"),
            client.redirectURIs.contains(where: { Self.admits($0, redirectURI) })
        else { return .problem(400, "The client or its redirect URI is not known.") }
        var answer = [("iss", request.base)]
        if let state = one("state") { answer.append(("state", state)) }
        if one("scope") == "no" {
            answer.append(("error", "access_denied"))
        } else if one("response_type") == "code", let challenge = one("code_challenge"),
            one("code_challenge_method") == "S256",
            let scopes = try? tokens.scopes(one("scope"), within: client.scopes)
        {
            let code = authorization.makeToken(words: 2)
            authorization.codes.add(
                code,
                AuthorizationCodes.Code(
                    clientID: id, redirectURI: redirectURI, subject: "reader", scopes: scopes,
                    challenge: challenge, issuer: request.base, nonce: one("nonce"),
                    end: authorization.clock.now + .seconds(60)))
            answer.append(("code", code))
        } else {
            answer.append(("error", "invalid_request"))
        }
        let query = answer.map { "\($0.0)=\(URLEncodedForm.encode($0.1))" }.joined(separator: "&")
        return .status(302, fields: ["Location": redirectURI + "?" + query])
    }

    /// Whether a redirect URI is registered: identical, except for the port of a loopback address (RFC 8252 §7.3).
    private static func admits(_ registered: String, _ asked: String) -> Bool {
        if registered == asked { return true }
        guard let known = try? ParsedURL(registered), let new = try? ParsedURL(asked) else { return false }
        return known.origin.isLoopback && known.origin.host == new.origin.host
            && known.origin.scheme == new.origin.scheme && known.target == new.target
    }

    /// The server metadata (RFC 8414 §3.2).
    private func metadata(_ request: EmbeddedGateway.Request) -> EmbeddedGateway.Reply {
        let base = request.base
        return .json([
            "issuer": .string(base),
            "authorization_endpoint": .string(base + "/oauth/authorize"),
            "token_endpoint": .string(base + EmbeddedGateway.tokenPath),
            "revocation_endpoint": .string(base + "/oauth/revoke"),
            "introspection_endpoint": .string(base + "/oauth/introspect"),
            "device_authorization_endpoint": .string(base + "/oauth/device_authorization"),
            "response_types_supported": ["code"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": [
                "client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt", "none",
            ],
            "dpop_signing_alg_values_supported": ["ES256", "ES384", "ES512", "RS256"],
            "authorization_response_iss_parameter_supported": true,
        ])
    }
}
