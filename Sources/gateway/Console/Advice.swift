import GatewayClient

/// What to do about a failure: a line after its description. It names options and variables.
enum Advice {
    /// About an error; `nil` if its message says enough.
    static func about(_ error: NetworkError) -> String? {
        // The environment has named the variables in the message.
        if error.credentialReason != nil { return nil }
        return switch error.code {
        case .credentialMisconfigured:
            "check GATEWAY_CLIENT_ID, GATEWAY_CLIENT_SECRET_FILE, GATEWAY_CLIENT_AUTH and GATEWAY_GRANT"
        case .tokenUnavailable:
            "GATEWAY_TOKEN_URL or GATEWAY_ISSUER says where tokens come from; GATEWAY_TOKEN_PATIENCE how long a call "
                + "waits for it"
        case .tokenResponseMalformed:
            "check that GATEWAY_TOKEN_URL is the token endpoint itself, or set GATEWAY_ISSUER in its place"
        case .tokenOutcomeUnknown:
            "try again; if the token is refused then, sign in again or replace the refresh token"
        case .tokenStoreFailed: "check the folder or server that GATEWAY_TOKEN_STORE names"
        case .reauthenticationRequired, .interactionRequired, .signedOut:
            "sign in by `gateway login`, or replace the token in GATEWAY_REFRESH_TOKEN_FILE or GATEWAY_TOKEN_FILE"
        case .refreshSuspended:
            "check GATEWAY_SCOPE, GATEWAY_AUDIENCE and GATEWAY_ISSUER; `gateway token` shows what the token says"
        case .authorizationDenied, .authorizationExpired: "start the sign-in again by `gateway login`"
        case .redirectUnavailable:
            "GATEWAY_REDIRECT_URI has the port; the URI must be registered for the client"
        case .idTokenInvalid:
            "start the sign-in again by `gateway login`; without openid in GATEWAY_SCOPE there is no ID token"
        case .insecureOrigin:
            "use https, or list the host in GATEWAY_PLAIN_HTTP_HOSTS where a service mesh encrypts"
        case .connectionRefused, .dnsFailure, .noConnection:
            "check the host and the port, and GATEWAY_PROXY if it is set"
        case .proxyFailure: "check GATEWAY_PROXY, GATEWAY_PROXY_USERNAME and GATEWAY_PROXY_PASSWORD_FILE"
        case .tlsFailure:
            "GATEWAY_CA_FILE names the certificates to trust, GATEWAY_CLIENT_CERTIFICATE_FILE the client's own"
        case .misconfigured where error.phase == .tls: "GATEWAY_CA_FILE names the certificates to trust"
        case .timeout: "--timeout, GATEWAY_DEADLINE and GATEWAY_TIMEOUTS set the time limits"
        default: nil
        }
    }

    /// About a response that refuses a call; `nil` if nothing can be changed at this end.
    ///
    /// - Parameters:
    ///   - hasCredential: whether the environment describes a credential.
    ///   - isCredentialSent: whether it is sent to the origin of the call.
    ///   - missingScopes: the scopes that were requested and not granted.
    static func about(
        _ response: HTTPResponse, hasCredential: Bool, isCredentialSent: Bool, missingScopes: [String]
    ) -> String? {
        let errors = AuthenticationChallenge.parse(response.fields).compactMap { $0["error"] }
        switch response.status {
        case 401 where !hasCredential:
            return "no credential was sent: no variable describes one; see: gateway help environment"
        case 401 where !isCredentialSent: return nil
        case 401 where errors.contains("invalid_dpop_proof"):
            return "the service refused the DPoP proof, not the token, which was not renewed: check "
                + "GATEWAY_DPOP_KEY_FILE and this machine's clock"
        case 401 where errors.contains("insufficient_user_authentication"):
            return "the service requires a stronger or more recent sign-in; a renewed token does not help"
        case 401: return "a renewed token was refused, too; `gateway token` shows what it says"
        case 403 where isCredentialSent && !missingScopes.isEmpty: return narrowed(missingScopes)
        case 403 where isCredentialSent: return "if the token lacks a scope, add it to GATEWAY_SCOPE"
        default: return nil
        }
    }

    /// About scopes that were requested and not granted.
    static func narrowed(_ missing: [String]) -> String {
        "the server granted fewer scopes than GATEWAY_SCOPE requests; missing: "
            + missing.joined(separator: " ")
    }
}
