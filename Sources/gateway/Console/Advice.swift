import GatewayClient

/// What somebody may do about a failure: a line behind what is said of it.
enum Advice {
    /// About an error; `nil` where its own words are enough.
    static func about(_ error: NetworkError) -> String? {
        switch error.code {
        case .credentialMisconfigured:
            "GATEWAY_CLIENT_ID, GATEWAY_CLIENT_SECRET_FILE and GATEWAY_CLIENT_AUTH say who asks for tokens and how "
                + "that is proven;\nGATEWAY_SCOPE and GATEWAY_AUDIENCE what is asked for"
        case .tokenUnavailable:
            "GATEWAY_TOKEN_URL or GATEWAY_ISSUER says where tokens come from; GATEWAY_TOKEN_PATIENCE waits for it"
        case .tokenResponseMalformed:
            "check that GATEWAY_TOKEN_URL is the token endpoint itself, or name its GATEWAY_ISSUER"
        case .tokenOutcomeUnknown: "try again; if that is refused, sign in again or replace the refresh token"
        case .reauthenticationRequired, .interactionRequired, .signedOut:
            "sign in by: gateway login; or replace what GATEWAY_REFRESH_TOKEN_FILE or GATEWAY_TOKEN_FILE names"
        case .authorizationDenied, .authorizationExpired: "begin again by: gateway login"
        case .redirectUnavailable:
            "GATEWAY_REDIRECT_URI has the port; the URI must be registered for the client"
        case .idTokenInvalid:
            "begin again by: gateway login; without openid in GATEWAY_SCOPE there is no ID token"
        case .insecureOrigin:
            "use https, or list the host in GATEWAY_PLAIN_HTTP_HOSTS where a service mesh encrypts"
        case .connectionRefused, .dnsFailure, .noConnection:
            "check the host and the port, and GATEWAY_PROXY where there is one"
        case .proxyFailure: "check GATEWAY_PROXY, GATEWAY_PROXY_USERNAME and GATEWAY_PROXY_PASSWORD_FILE"
        case .tlsFailure:
            "GATEWAY_CA_FILE names the certificates to trust, GATEWAY_CLIENT_CERTIFICATE_FILE our own"
        case .timeout: "--timeout, GATEWAY_DEADLINE and GATEWAY_TIMEOUTS say how long there is"
        default: nil
        }
    }

    /// About a status; `nil` where nothing is to be done at this end.
    ///
    /// - Parameters:
    ///   - hasCredential: whether the environment describes one.
    ///   - goesAlong: whether it goes to the origin that was called.
    static func about(status: Int, hasCredential: Bool, goesAlong: Bool) -> String? {
        switch status {
        case 401 where !hasCredential:
            "no credential went along, since no variable describes one; see: gateway help environment"
        case 401 where goesAlong: "a new token is not accepted either; see what it says by: gateway token"
        case 403 where goesAlong: "if the token allows too little, GATEWAY_SCOPE says what to ask for"
        default: nil
        }
    }
}
