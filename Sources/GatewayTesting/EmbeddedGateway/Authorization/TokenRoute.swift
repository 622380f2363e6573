import GatewayCore
import GatewayJSON

/// The token endpoint (RFC 6749 §3.2).
struct TokenRoute: Sendable {
    let authorization: AuthorizationServer
    let ledger: RequestLedger
    let clientCheck: ClientCheck

    /// The result of a successful token request.
    struct Granted {
        var grant: AuthorizationServer.Grant
        var refreshToken: Secret?
        var members: [String: JSONValue] = [:]
    }

    /// The grant types with their own counters. Others are counted together, so that their number is limited.
    private static let grantTypes: Set<String> = [
        "client_credentials", "refresh_token", "authorization_code", deviceCode, jwtBearer, exchange,
    ]
    private static let deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
    private static let jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    private static let exchange = "urn:ietf:params:oauth:grant-type:token-exchange"

    /// Responds to a token request.
    func reply(to request: EmbeddedGateway.Request) -> EmbeddedGateway.Reply {
        let parameters = URLEncodedForm.decode(request.body)
        let form = Dictionary(parameters.map { ($0.name, $0.value) }) { first, _ in first }
        let grantType = form["grant_type"] ?? ""
        for name in ["assertion", "client_assertion", "subject_token"] {
            if let assertion = form[name] { SecretLedger.note(Secret(assertion), .assertion) }
        }
        var use: EmbeddedGateway.RefreshTokenUse?
        ledger.tokenRequest(grantType: Self.grantTypes.contains(grantType) ? grantType : "other")

        do throws(TokenError) {
            try FormCheck.check(request, parameters)
            guard !grantType.isEmpty else { throw TokenError("invalid_request", "grant_type is missing.") }
            let client = try clientCheck.client(request, form)
            // Checked first, so that a missing proof does not use up a code or refresh token.
            let proven = try authorization.proofs.atTokenEndpoint(request)
            var granted =
                switch grantType {
                case "client_credentials": try clientCredentials(client, form)
                case "refresh_token": try refreshToken(client, form, proven, noting: &use)
                case "authorization_code": try authorizationCode(client, form, proven)
                case Self.deviceCode: try deviceCode(client, form, proven)
                case Self.jwtBearer: try assertion(client, form, request)
                case Self.exchange: try exchange(client, form, request)
                default: throw TokenError("unsupported_grant_type", "This grant type is not supported.")
                }
            granted.grant.keyThumbprint = proven
            var reply = try answer(granted)
            reply.refreshTokenUse = use
            return reply
        } catch {
            var reply = error.reply
            reply.refreshTokenUse = use
            return reply
        }
    }

    /// The client credentials grant (RFC 6749 §4.4), without a refresh token (§4.4.3).
    private func clientCredentials(
        _ client: EmbeddedGateway.Client, _ form: [String: String]
    ) throws(TokenError) -> Granted {
        guard !client.isPublic else {
            throw TokenError("unauthorized_client", "A public client has no credentials (RFC 6749 §4.4).")
        }
        let scopes = try scopes(form["scope"], within: client.scopes)
        return Granted(grant: .init(clientID: client.id, subject: client.id, scopes: scopes))
    }

    /// The refresh token grant (RFC 6749 §6). The token of a public client is bound to its key (RFC 9449 §5).
    private func refreshToken(
        _ client: EmbeddedGateway.Client, _ form: [String: String], _ proven: String?,
        noting note: inout EmbeddedGateway.RefreshTokenUse?
    ) throws(TokenError) -> Granted {
        let token = Secret(try form.required("refresh_token"))
        // Checked first, so that an invalid scope does not use up the refresh token.
        let known = authorization.family(of: token, clientID: client.id)
        if client.isPublic, let known, let bound = known.keyThumbprint, bound != proven {
            throw TokenError("invalid_grant", "The refresh token is bound to another key.")
        }
        let scopes = try known.map { family throws(TokenError) in
            try self.scopes(form["scope"], within: family.scopes)
        }
        let (use, replacement) = authorization.use(token, clientID: client.id)
        note = EmbeddedGateway.RefreshTokenUse(
            of: token, use, family: known?.number, replacement: replacement, time: authorization.clock.now)
        guard case .good(let index, let family) = use else {
            throw TokenError("invalid_grant", "The refresh token is unknown, revoked or was used before.")
        }
        return Granted(
            grant: .init(
                clientID: client.id, subject: family.subject, scopes: scopes ?? family.scopes, family: index),
            refreshToken: replacement)
    }

    /// The requested scopes, if they are allowed.
    func scopes(_ asked: String?, within allowed: [String]) throws(TokenError) -> [String] {
        guard let asked, !asked.isEmpty else { return allowed }
        let scopes = asked.split(separator: " ").map(String.init)
        guard scopes.allSatisfy(allowed.contains) else {
            throw TokenError("invalid_scope", "The client cannot have that scope.")
        }
        return scopes
    }

    private func answer(_ granted: Granted) throws(TokenError) -> EmbeddedGateway.Reply {
        guard let issued = try? authorization.issue(to: granted.grant) else {
            throw TokenError("server_error", "The token could not be signed.", status: 500)
        }
        ledger.tokenGranted()
        var members = granted.members
        members["access_token"] = .string(issued.token.exposed)
        members["token_type"] = granted.grant.keyThumbprint == nil ? "Bearer" : "DPoP"
        members["expires_in"] = .number(JSONNumber(authorization.lifetime.wholeSeconds))
        members["scope"] = .string(issued.claims.scopes.joined(separator: " "))
        if let refreshToken = granted.refreshToken {
            members["refresh_token"] = .string(refreshToken.exposed)
        }
        var reply = EmbeddedGateway.Reply.json(.object(members))
        TokenError.forbidStoring(&reply)
        return reply
    }
}
