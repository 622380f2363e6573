import GatewayCore
import GatewayJSON

/// Reads the response of a token endpoint (RFC 6749 §5) or of another endpoint of the server.
///
/// Of an error response, errors contain only `error` and `error_description`, as reduced by ``ServerStatement``.
struct TokenResponse {
    let status: Int
    let body: [UInt8]
    let retryAfter: Duration?
    let origin: Origin
    var endpoint = AuthorizationServerMetadata.Endpoint.token
    var grantType = CredentialProblem.GrantType.other
    /// The nonce in the proof of the request, compared with the nonce in the response.
    var nonce = NonceDemand.noProof
    /// The secrets of the request. They are removed from messages if the server repeats them.
    var secrets: [Secret] = []
    /// The header fields, for the server's ID of the request.
    var fields = HTTPFields()

    /// Reads the grant.
    ///
    /// - Parameters:
    ///   - unixTime: the current time, for tokens with an expiration time and no issue time.
    ///   - type: the required token type. A bearer token in response to a request with a proof is rejected (RFC 9449
    ///     §5), because an attacker could remove the proof to get an unbound token.
    /// - Throws: ``GatewayCore/NetworkError`` if the response has no usable grant.
    func grant(unixTime: Duration, type: AccessTokenType) throws(NetworkError) -> TokenGrant {
        let members = members
        if let code = Self.errorCode(in: members) { throw refusal(code, members) }
        guard isSuccess else { throw unexpectedStatus() }
        guard let token = members["access_token"]?.string, !token.isEmpty else {
            throw malformed("Its response has no usable access token.")
        }
        if let fault = TokenSyntax.fault(in: token) {
            throw NetworkError(
                .tokenResponseMalformed,
                "The access token in the response of the \(endpoint.label) \(fault).", origin: origin,
                retryAfter: retryAfter, status: status)
        }
        // RFC 6749 §5.1 requires `token_type`. If a server omits it, the token is a bearer token.
        if let told = members["token_type"], told != .null {
            guard let told = told.string, type.isNamed(told) else {
                throw malformed("Its token is not of the type \(type).")
            }
        } else if type != .bearer {
            throw malformed("Its token is not of the type \(type).")
        }
        let accessToken = Secret(token)
        let refreshToken = members["refresh_token"]?.string.flatMap { $0.isEmpty ? nil : Secret($0) }
        var grant = TokenGrant(
            accessToken: accessToken,
            expiresIn: Self.lifetime(members["expires_in"])
                ?? ExpiryHint(accessToken)?.lifetime(unixTime: unixTime),
            refreshToken: refreshToken,
            scopes: members["scope"]?.string?.split(separator: " ").map(String.init), type: type)
        (grant.origin, grant.status) = (origin, status)
        return grant
    }

    /// Checks that the issued token has one of these types.
    func checkIssued(_ types: [TokenExchange.TokenType]) throws(NetworkError) {
        guard let type = members["issued_token_type"]?.string, types.contains(where: { $0.uri == type })
        else {
            throw malformed("The issued token is not of the requested type.")
        }
    }

    /// Checks that a revocation succeeded (RFC 7009 §2.2). Any 2xx status is accepted.
    func confirm() throws(NetworkError) {
        guard !isSuccess else { return }
        if let code = Self.errorCode(in: members) { throw refusal(code, members) }
        throw unexpectedStatus()
    }

    /// The error code of the response (RFC 6749 §5.2), if any.
    var errorCode: String? { Self.errorCode(in: members) }

    /// An empty code is ignored: it is not valid (RFC 6749 §A.7), and some servers send one with each grant.
    private static func errorCode(in members: [String: JSONValue]) -> String? {
        members["error"]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The ID token (OpenID Connect Core 1.0 §3.1.3.3), not validated.
    var idToken: Secret? { members["id_token"]?.string.map(Secret.init) }

    /// The members of a successful response that is not a grant.
    func object() throws(NetworkError) -> [String: JSONValue] {
        let members = members
        if let code = Self.errorCode(in: members) { throw refusal(code, members) }
        guard isSuccess else { throw unexpectedStatus() }
        return members
    }

    /// Whether the status is 2xx. RFC 6749 §5.1 requires 200. A grant with another status is also used, because the
    /// request has used up the refresh token.
    private var isSuccess: Bool { (200..<300).contains(status) }

    /// The members of a JSON response with any status; empty for anything else. Errors in members that are not read are
    /// ignored, so that the grant is not lost: the request has used up the refresh token.
    private var members: [String: JSONValue] {
        var limits = JSONLimits(bytes: 1 << 20)
        limits.allowsFaultsWithin = true
        return (try? JSONValue(jsonBytes: body, limits: limits))?.object ?? [:]
    }

    /// Reads `expires_in` as a number, a fraction or a string. The result is in whole seconds, clamped to 0 s…10 years;
    /// `nil` if it is not a number, so the lifetime is unknown.
    static func lifetime(_ value: JSONValue?) -> Duration? {
        let seconds: Double
        switch value?.content {
        case .number(let number): seconds = number.double
        case .string(let text):
            guard text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }),
                let number = Double(text)
            else { return nil }
            seconds = number
        default: return nil
        }
        guard !seconds.isNaN else { return nil }
        return .seconds(Int64(min(max(seconds, 0), 315_360_000)))
    }

    // MARK: Errors

    private func statement(_ members: [String: JSONValue]) -> ServerStatement {
        ServerStatement(
            error: members["error"]?.string, description: members["error_description"]?.string,
            secrets: secrets + Self.issued(in: members))
    }

    /// The issued tokens and codes, which an error response may contain, too.
    private static func issued(in members: [String: JSONValue]) -> [Secret] {
        ["access_token", "refresh_token", "id_token", "device_code", "user_code"].compactMap {
            members[$0]?.string.map(Secret.init)
        }
    }

    /// The error for an error code of the server (RFC 6749 §5.2).
    private func refusal(_ code: String, _ members: [String: JSONValue]) -> NetworkError {
        let statement = statement(members).text ?? String(status)
        func refused(
            _ code: NetworkError.Code, _ reason: CredentialProblem.Reason, _ subject: String
        ) -> NetworkError {
            error(code, reason, "The \(endpoint.label) refused the \(subject): \(statement).")
        }
        switch code {
        case "invalid_grant":
            return refused(.reauthenticationRequired, .grantRefused(grantType), "grant")
        case "invalid_client": return refused(.credentialMisconfigured, .clientRefused, "client")
        case "unauthorized_client", "unsupported_grant_type":
            return refused(.credentialMisconfigured, .grantTypeRefused(grantType), "grant type")
        case "invalid_scope": return refused(.credentialMisconfigured, .scopesRefused, "scopes")
        case "invalid_target":
            return refused(.credentialMisconfigured, .targetRefused, "audiences or resources")
        case "invalid_dpop_proof": return refused(.credentialMisconfigured, .proofRefused, "DPoP proof")
        case "access_denied": return refused(.authorizationDenied, .grantRefused(grantType), "authorization")
        case "expired_token":
            return error(
                .authorizationExpired, .grantRefused(grantType),
                "The codes expired before anybody signed in: \(statement).")
        case "interaction_required", "login_required", "consent_required":
            return refused(.interactionRequired, .grantRefused(.deviceCode), "grant")
        case "use_dpop_nonce":
            guard nonce != .noProof else {
                return NetworkError(
                    .credentialMisconfigured,
                    "The \(endpoint.label) requires a DPoP proof. Give the endpoint a `DPoPBinding`.",
                    origin: origin, retryAfter: retryAfter, status: status)
            }
            return unavailable("the \(endpoint.label) \(nonce.fact)")
        case "temporarily_unavailable", "server_error", "slow_down", "authorization_pending":
            return unavailable("the \(endpoint.label) answered \(statement)")
        case _ where isTransientStatus:
            return unavailable("the \(endpoint.label) answered \(status), \(statement)")
        case "invalid_request": return refused(.credentialMisconfigured, .requestRefused, "request")
        // A code of the server's own, or of a proxy.
        default: return refused(.credentialMisconfigured, .unregisteredError, "request")
        }
    }

    private var isTransientStatus: Bool {
        switch status {
        case 408, 425, 429, 500...599: true
        default: false
        }
    }

    /// The error for a status without an error code. RFC 6749 §5.2 uses 400 for a refused grant. The response may also
    /// come from a proxy, so it does not end the credential.
    private func unexpectedStatus() -> NetworkError {
        let fact = "The \(endpoint.label) refused the request with status \(status) and gave no reason."
        switch status {
        case _ where isTransientStatus: return unavailable("the \(endpoint.label) answered \(status)")
        case 400, 403:
            return error(
                grantType.isSignIn ? .reauthenticationRequired : .credentialMisconfigured,
                .refusedWithoutReason(grantType), fact)
        case 401: return error(.credentialMisconfigured, .refusedWithoutReason(grantType), fact)
        default: return malformed("It answered \(status) and gave no reason.")
        }
    }

    private func unavailable(_ fact: String) -> NetworkError {
        error(.tokenUnavailable, .unavailable, "The token service is unavailable: \(fact).")
    }

    private func malformed(_ message: String) -> NetworkError {
        error(
            .tokenResponseMalformed, .notAnOAuthResponse(endpoint),
            "The \(endpoint.label) does not answer as OAuth 2 requires. \(message)")
    }

    private func error(
        _ code: NetworkError.Code, _ reason: CredentialProblem.Reason, _ fact: String
    ) -> NetworkError {
        NetworkError(
            code, reason, fact, origin: origin, retryAfter: retryAfter, status: status,
            serverCode: errorCode.flatMap { ServerStatement.registeredCodes.contains($0) ? $0 : nil },
            requestID: requestID)
    }

    /// The server's ID of the request, unless it repeats a secret of the request or of the response.
    private var requestID: String? {
        guard let id = fields.serverRequestID else { return nil }
        return EchoFilter(secrets + Self.issued(in: members)).matches(id) ? nil : id
    }
}
