import GatewayCore
import GatewayJSON

/// Reads what a token endpoint answers (RFC 6749 §5). Nothing of the answer gets into an error: it may hold a token.
struct TokenResponse {
    let status: Int
    let body: [UInt8]
    let retryAfter: Duration?
    let origin: Origin

    /// The grant, or why there is none.
    ///
    /// - Parameters:
    ///   - unixTime: the wall clock, for tokens that tell their end but not their beginning.
    ///   - type: what the token must be. One that is not bound although the request was proven is refused (RFC 9449
    ///     §5): whoever strips the proof must not get a token that anybody can use.
    func grant(unixTime: Duration, type: AccessTokenType) throws(NetworkError) -> TokenGrant {
        let members = members
        if let code = members["error"]?.string { throw refusal(code) }
        guard status == 200 else { throw unexpectedStatus() }
        guard let token = members["access_token"]?.string, IssuedToken.isToken68(token.utf8) else {
            throw malformed("Its answer holds no usable access token.")
        }
        // RFC 6749 §5.1 demands the type; servers that leave it out mean this one.
        if let told = members["token_type"], told != .null {
            guard let told = told.string, HTTPSyntax.equalIgnoringCase(told, type.scheme) else {
                throw malformed("Its token is not of the type \(type).")
            }
        } else if type != .bearer {
            throw malformed("Its token is not of the type \(type).")
        }
        let accessToken = Secret(token)
        let refreshToken = members["refresh_token"]?.string.flatMap { $0.isEmpty ? nil : Secret($0) }
        return TokenGrant(
            accessToken: accessToken,
            expiresIn: Self.lifetime(members["expires_in"])
                ?? ExpiryHint(accessToken)?.lifetime(unixTime: unixTime),
            refreshToken: refreshToken,
            scopes: members["scope"]?.string?.split(separator: " ").map(String.init), type: type)
    }

    /// Sees to it that what was issued is of one of these types.
    func checkIssued(_ types: [TokenExchange.TokenType]) throws(NetworkError) {
        guard let type = members["issued_token_type"]?.string, types.contains(where: { $0.uri == type })
        else {
            throw malformed("It does not say that it issued what was asked for.")
        }
    }

    /// Sees to it that a revocation was accepted (RFC 7009 §2.2).
    func confirm() throws(NetworkError) {
        guard status != 200 else { return }
        if let code = members["error"]?.string { throw refusal(code) }
        throw unexpectedStatus()
    }

    /// The code of an error that the server names (RFC 6749 §5.2).
    var errorCode: String? { members["error"]?.string }

    /// The ID token (OpenID Connect Core 1.0 §3.1.3.3), not validated.
    var idToken: Secret? { members["id_token"]?.string.map(Secret.init) }

    /// The members of an answer that is no grant, or why there is none.
    func object() throws(NetworkError) -> [String: JSONValue] {
        let members = members
        if let code = members["error"]?.string { throw refusal(code) }
        guard status == 200 else { throw unexpectedStatus() }
        return members
    }

    /// A server that knows OAuth answers in JSON, with any status.
    private var members: [String: JSONValue] {
        if case .object(let object)? = try? JSONValue(
            jsonBytes: body, limits: JSONLimits(depth: 32, bytes: 1 << 20))
        {
            return object
        }
        return [:]
    }

    /// `expires_in` as servers write it: a number, a fraction, a text. Whole seconds, from zero to ten years; `nil`
    /// for what is no number, which leaves the lifetime unknown.
    static func lifetime(_ value: JSONValue?) -> Duration? {
        let seconds: Double
        switch value {
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

    /// An error that the server names (RFC 6749 §5.2).
    private func refusal(_ code: String) -> NetworkError {
        switch code {
        case "invalid_grant":
            error(.reauthenticationRequired, "The token endpoint no longer accepts the grant: sign in again.")
        case "invalid_client", "unauthorized_client":
            error(
                .credentialMisconfigured,
                "The token endpoint does not accept the client: check id and secret.")
        case "invalid_scope", "invalid_target":
            error(
                .credentialMisconfigured,
                "The token endpoint does not grant the scopes or audiences asked for.")
        case "unsupported_grant_type", "invalid_request":
            error(.credentialMisconfigured, "The token endpoint does not accept this kind of request.")
        case "invalid_dpop_proof":
            error(
                .credentialMisconfigured,
                "The token endpoint does not accept the proof: check the key, the clock and the URL.")
        case "use_dpop_nonce":
            error(.tokenUnavailable, "The token endpoint demands a nonce again that it was given.")
        case "access_denied": error(.authorizationDenied, "Whoever was asked has refused.")
        case "expired_token": error(.authorizationExpired, "Nobody has agreed in time.")
        case "interaction_required", "login_required", "consent_required":
            error(.interactionRequired, "The token endpoint wants a person to act.")
        default:
            error(.tokenUnavailable, "The token endpoint could not give a token.")
        }
    }

    private func unexpectedStatus() -> NetworkError {
        switch status {
        case 408, 425, 429, 500...599: error(.tokenUnavailable, "The token endpoint answered \(status).")
        default: malformed("It answered \(status) without saying why.")
        }
    }

    private func malformed(_ message: String) -> NetworkError {
        error(.tokenResponseMalformed, "The token endpoint does not speak OAuth 2. " + message)
    }

    private func error(_ code: NetworkError.Code, _ message: String) -> NetworkError {
        NetworkError(code, message, origin: origin, retryAfter: retryAfter, status: status)
    }
}
