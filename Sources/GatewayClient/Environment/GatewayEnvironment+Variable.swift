extension GatewayEnvironment {
    /// A variable that a ``GatewayEnvironment`` reads. An empty value counts as none.
    public struct Variable: Hashable, Sendable, CustomStringConvertible {
        /// Its name, such as `GATEWAY_TOKEN_URL`.
        public let name: String
        /// What it may hold.
        public let expected: String
        /// What it is for.
        public let summary: String
        /// What holds without it, where that needs to be said.
        public let fallback: String?

        private init(_ name: String, _ expected: String, _ summary: String, fallback: String? = nil) {
            self.name = "GATEWAY_" + name
            self.expected = expected
            self.summary = summary
            self.fallback = fallback
        }

        /// The name.
        public var description: String { name }
    }
}

extension GatewayEnvironment.Variable {
    // MARK: Where calls go

    /// `GATEWAY_BASE_URL`
    public static let baseURL = Self(
        "BASE_URL", "a URL, `https` or `http`, without a query",
        "What relative URLs begin with. Its origin gets the credential.")
    /// `GATEWAY_ORIGINS`
    public static let origins = Self(
        "ORIGINS", "origins such as `https://api.example.com`, separated by spaces or commas",
        "Further origins that get the credential. No other ever does.")

    // MARK: The credential

    /// `GATEWAY_TOKEN`
    public static let token = Self("TOKEN", "an access token", "A fixed token. Better: `GATEWAY_TOKEN_FILE`.")
    /// `GATEWAY_TOKEN_FILE`
    public static let tokenFile = Self(
        "TOKEN_FILE", "the path of a file with an access token",
        "A token that is kept and renewed there by somebody else. It is read anew whenever one is needed.")
    /// `GATEWAY_TOKEN_URL`
    public static let tokenURL = Self(
        "TOKEN_URL", "a URL, `https`, or `http` to a loopback address", "The token endpoint (RFC 6749).")
    /// `GATEWAY_ISSUER`
    public static let issuer = Self(
        "ISSUER", "a URL, `https`, or `http` to a loopback address, without a query",
        "The authorization server, whose endpoints are found by its name, in place of their URLs.")
    /// `GATEWAY_DISCOVERY`
    public static let discovery = Self(
        "DISCOVERY", "`openid` or `oauth`",
        "Where the issuer's metadata stands: as OpenID Connect Discovery says, or RFC 8414.",
        fallback: "`openid`")
    /// `GATEWAY_DEVICE_URL`
    public static let deviceURL = Self(
        "DEVICE_URL", "a URL, `https`, or `http` to a loopback address",
        "Where devices begin to sign in (RFC 8628).", fallback: "what the issuer says")
    /// `GATEWAY_REVOCATION_URL`
    public static let revocationURL = Self(
        "REVOCATION_URL", "a URL, `https`, or `http` to a loopback address",
        "Where grants are taken back (RFC 7009).", fallback: "nowhere")
    /// `GATEWAY_CLIENT_ID`
    public static let clientID = Self(
        "CLIENT_ID", "the client's identifier", "Who asks the token endpoint.")
    /// `GATEWAY_CLIENT_SECRET`
    public static let clientSecret = Self(
        "CLIENT_SECRET", "the client's secret",
        "What the client proves that by. Better: `GATEWAY_CLIENT_SECRET_FILE`.")
    /// `GATEWAY_CLIENT_SECRET_FILE`
    public static let clientSecretFile = Self(
        "CLIENT_SECRET_FILE", "the path of a file with the client's secret",
        "The same, from a file, which is read anew for each token.")
    /// `GATEWAY_CLIENT_AUTH`
    public static let clientAuthentication = Self(
        "CLIENT_AUTH", "`basic`, `post`, `private_key_jwt`, `assertion`, `tls` or `none`",
        "How the client proves who it is: by its secret (in a header or in the body), an assertion that it signs, one "
            + "that somebody else signs, its certificate, or not at all.",
        fallback: "what the other variables are good for")
    /// `GATEWAY_SIGNING_KEY_FILE`
    public static let signingKeyFile = Self(
        "SIGNING_KEY_FILE", "the path of a PEM file with a private key, not encrypted",
        "What the client signs its assertions with (RFC 7523).")
    /// `GATEWAY_SIGNING_KEY_ID`
    public static let signingKeyID = Self(
        "SIGNING_KEY_ID", "the key's name", "Which of the client's keys it is (`kid`).")
    /// `GATEWAY_SIGNING_ALGORITHM`
    public static let signingAlgorithm = Self(
        "SIGNING_ALGORITHM", "`RS256`, `RS384`, `RS512`, `ES256`, `ES384` or `ES512`", "How it signs.",
        fallback: "`RS256`")
    /// `GATEWAY_ASSERTION_AUDIENCE`
    public static let assertionAudience = Self(
        "ASSERTION_AUDIENCE", "a name or URL", "For whom its assertions are meant.",
        fallback: "the token endpoint's URL")
    /// `GATEWAY_CLIENT_ASSERTION_FILE`
    public static let clientAssertionFile = Self(
        "CLIENT_ASSERTION_FILE", "the path of a file with an assertion",
        "An assertion that somebody else signs and renews there, such as a projected service account token.")
    /// `GATEWAY_REFRESH_TOKEN`
    public static let refreshToken = Self(
        "REFRESH_TOKEN", "a refresh token",
        "The first refresh token, in place of client credentials. Where the server replaces it at each use, "
            + "`GATEWAY_TOKEN_STORE` keeps those that follow.")
    /// `GATEWAY_REFRESH_TOKEN_FILE`
    public static let refreshTokenFile = Self(
        "REFRESH_TOKEN_FILE", "the path of a file with a refresh token", "The same, from a file.")
    /// `GATEWAY_GRANT`
    public static let grant = Self(
        "GRANT", "`client_credentials`, `refresh_token` or `device_code`",
        "How tokens are had. With `device_code` somebody signs in first, by `gateway login`, and "
            + "`GATEWAY_TOKEN_STORE` keeps what that brings.",
        fallback: "`refresh_token` where there is one, else `client_credentials`")
    /// `GATEWAY_SCOPE`
    public static let scope = Self(
        "SCOPE", "scopes, separated by spaces", "What the token shall allow.",
        fallback: "what the server gives")
    /// `GATEWAY_AUDIENCE`
    public static let audience = Self(
        "AUDIENCE", "names or URLs, separated by spaces", "For whom the token is meant.",
        fallback: "what the server gives")
    /// `GATEWAY_TOKEN_STORE`
    public static let tokenStore = Self(
        "TOKEN_STORE", "the absolute path of a folder, or a URL that the program has a store for",
        "Where tokens outlive the process, and are shared by processes.", fallback: "nowhere")

    // MARK: The way

    /// `GATEWAY_CA_FILE`
    public static let caFile = Self(
        "CA_FILE", "the path of a PEM file", "The certificates to trust.", fallback: "the system's")
    /// `GATEWAY_CLIENT_CERTIFICATE_FILE`
    public static let clientCertificateFile = Self(
        "CLIENT_CERTIFICATE_FILE", "the path of a PEM file", "The client's certificate, for mutual TLS.")
    /// `GATEWAY_CLIENT_KEY_FILE`
    public static let clientKeyFile = Self(
        "CLIENT_KEY_FILE", "the path of a PEM file", "The certificate's private key.")
    /// `GATEWAY_CLIENT_KEY_PASSWORD`
    public static let clientKeyPassword = Self(
        "CLIENT_KEY_PASSWORD", "a password", "What the key is encrypted with, if it is.")
    /// `GATEWAY_CLIENT_KEY_PASSWORD_FILE`
    public static let clientKeyPasswordFile = Self(
        "CLIENT_KEY_PASSWORD_FILE", "the path of a file with a password", "The same, from a file.")
    /// `GATEWAY_PROXY`
    public static let proxy = Self(
        "PROXY", "`http://host[:port]`", "The proxy that all requests go through. `HTTP_PROXY` is not read.",
        fallback: "none")
    /// `GATEWAY_PROXY_USERNAME`
    public static let proxyUsername = Self("PROXY_USERNAME", "a name", "Who we are to the proxy.")
    /// `GATEWAY_PROXY_PASSWORD`
    public static let proxyPassword = Self(
        "PROXY_PASSWORD", "a password", "The password that goes with the name.")
    /// `GATEWAY_PROXY_PASSWORD_FILE`
    public static let proxyPasswordFile = Self(
        "PROXY_PASSWORD_FILE", "the path of a file with a password", "The same, from a file.")
    /// `GATEWAY_HTTP_VERSION`
    public static let httpVersion = Self(
        "HTTP_VERSION", "`1.1` or `2`", "Which HTTP is spoken; `2` where the server offers it over TLS.",
        fallback: "`1.1`")

    // MARK: Time

    /// `GATEWAY_DEADLINE`
    public static let deadline = Self(
        "DEADLINE", durationExpected + ", or `none`",
        "How long a call may take, waits and retries included.", fallback: "`60s`")
    /// `GATEWAY_RETRIES`
    public static let retries = Self(
        "RETRIES", "a whole number from 0 to 100", "How often a call is sent again at most.", fallback: "`2`")
    /// `GATEWAY_TIMEOUTS`
    public static let timeouts = Self(
        "TIMEOUTS", "`standard`, `fast`, `slow` or `server`", "The limits of time of one exchange.",
        fallback: "`standard`")
    /// `GATEWAY_CONNECT_TIMEOUT`
    public static let connectTimeout = Self(
        "CONNECT_TIMEOUT", durationExpected, "How long connecting may take, TLS included.",
        fallback: "`GATEWAY_TIMEOUTS`")
    /// `GATEWAY_READ_TIMEOUT`
    public static let readTimeout = Self(
        "READ_TIMEOUT", durationExpected, "How long the server may be silent.", fallback: "`GATEWAY_TIMEOUTS`"
    )
    /// `GATEWAY_WRITE_TIMEOUT`
    public static let writeTimeout = Self(
        "WRITE_TIMEOUT", durationExpected, "How long the server may take nothing.",
        fallback: "`GATEWAY_TIMEOUTS`")
    /// `GATEWAY_ATTEMPT_TIMEOUT`
    public static let attemptTimeout = Self(
        "ATTEMPT_TIMEOUT", durationExpected, "How long one exchange may take in all.",
        fallback: "`GATEWAY_TIMEOUTS`")

    private static let durationExpected = "a time such as `500ms`, `10s` or `2m`"

    /// Every variable, in the order in which they are documented.
    public static let all: [Self] = [
        baseURL, origins, token, tokenFile, tokenURL, issuer, discovery, deviceURL, revocationURL, clientID,
        clientSecret,
        clientSecretFile, clientAuthentication, signingKeyFile, signingKeyID, signingAlgorithm,
        assertionAudience, clientAssertionFile, refreshToken, refreshTokenFile, grant, scope, audience,
        tokenStore,
        caFile, clientCertificateFile, clientKeyFile, clientKeyPassword, clientKeyPasswordFile, proxy,
        proxyUsername, proxyPassword, proxyPasswordFile, httpVersion, deadline, retries, timeouts,
        connectTimeout, readTimeout, writeTimeout, attemptTimeout,
    ]
}
