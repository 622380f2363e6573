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

        fileprivate let key: VariableName

        fileprivate init(
            _ key: VariableName, _ expected: String, _ summary: String, without fallback: String? = nil
        ) {
            self.key = key
            name = key.description
            self.expected = expected
            self.summary = summary
            self.fallback = fallback
        }

        /// The name.
        public var description: String { name }
    }
}

extension VariableName {
    private static let values = Dictionary(
        uniqueKeysWithValues: GatewayEnvironment.Variable.all.map { ($0.key, $0.expected) })

    /// What it may hold.
    var expected: String { Self.values[self] ?? "another value" }
}

// What several may hold.
private let url = "a URL, `https`, or `http` to a loopback address"
private let pemFile = "the path of a PEM file"
private let passwordFile = "the path of a file with a password"
private let tokenFilePath = "the path of a file with a token"
private let assertionFilePath = "the path of a file with an assertion"
private let tokenType = "`access_token`, `jwt`, `id_token`, `refresh_token`, `saml2` or a URI"
private let duration = "a time such as `500ms`, `10s` or `2m`"

extension GatewayEnvironment.Variable {
    /// Every variable, in the order in which they are documented: what it may hold, what it is for, and what holds
    /// without it.
    public static let all: [Self] = [
        Self(
            .baseURL, "a URL, `https` or `http`, without a query",
            "What relative URLs begin with. Its origin gets the credential."),
        Self(
            .origins, "origins such as `https://api.example.com`, separated by spaces or commas",
            "Further origins that get the credential. No other ever does."),
        Self(
            .token, "an access token",
            "A fixed token. Better: `GATEWAY_TOKEN_FILE`."),
        Self(
            .tokenFile, "the path of a file with an access token",
            "A token that is kept and renewed there by somebody else. It is read anew whenever one is "
                + "needed."),
        Self(
            .tokenURL, url,
            "The token endpoint (RFC 6749)."),
        Self(
            .issuer, "a URL, `https`, or `http` to a loopback address, without a query",
            "The authorization server, whose endpoints are found by its name, in place of their URLs."),
        Self(
            .discovery, "`openid` or `oauth`",
            "Where the issuer's metadata stands: as OpenID Connect Discovery says, or RFC 8414.",
            without: "`openid`"),
        Self(
            .deviceURL, url,
            "Where devices begin to sign in (RFC 8628).",
            without: "what the issuer says"),
        Self(
            .revocationURL, url,
            "Where grants are taken back (RFC 7009).",
            without: "nowhere"),
        Self(
            .clientID, "the client's identifier",
            "Who asks the token endpoint."),
        Self(
            .clientSecret, "the client's secret",
            "What the client proves that by. Better: `GATEWAY_CLIENT_SECRET_FILE`."),
        Self(
            .clientSecretFile, "the path of a file with the client's secret",
            "The same, from a file, which is read anew for each token."),
        Self(
            .clientAuthentication, "`basic`, `post`, `private_key_jwt`, `assertion`, `tls` or `none`",
            "How the client proves who it is: by its secret (in a header or in the body), an assertion "
                + "that it signs, one that somebody else signs, its certificate, or not at all.",
            without: "what the other variables are good for"),
        Self(
            .signingKeyFile, "the path of a PEM file with a private key, not encrypted",
            "What assertions are signed with (RFC 7523): the client's own, and those that `jwt_bearer` "
                + "trades for tokens."),
        Self(
            .signingKeyID, "the key's name",
            "Which key it is (`kid`)."),
        Self(
            .signingAlgorithm, "`RS256`, `RS384`, `RS512`, `ES256`, `ES384` or `ES512`",
            "How it signs.",
            without: "`RS256`"),
        Self(
            .assertionAudience, "a name or URL",
            "For whom assertions are meant.",
            without: "the token endpoint's URL"),
        Self(
            .clientAssertionFile, assertionFilePath,
            "An assertion that somebody else signs and renews there, such as a projected service "
                + "account token."),
        Self(
            .dpopKeyFile, "the path of a PEM file with a private key on P-256, P-384 or P-521, not encrypted",
            "Binds tokens to this key: each request proves that its sender has it (RFC 9449).",
            without: "tokens are not bound"),
        Self(
            .grant, "`client_credentials`, `refresh_token`, `device_code`, `jwt_bearer` or `token_exchange`",
            "How tokens are had. With `device_code` somebody signs in first, by `gateway login`, and "
                + "`GATEWAY_TOKEN_STORE` keeps what that brings.",
            without: "what the other variables are good for, else `client_credentials`"),
        Self(
            .refreshToken, "a refresh token",
            "The first refresh token, in place of client credentials. Where the server replaces it at "
                + "each use, `GATEWAY_TOKEN_STORE` keeps those that follow."),
        Self(
            .refreshTokenFile, "the path of a file with a refresh token",
            "The same, from a file."),
        Self(
            .assertionFile, assertionFilePath,
            "What `jwt_bearer` trades for tokens, where somebody else signs and renews it there."),
        Self(
            .assertionIssuer, "a name or URL",
            "Who speaks in the assertions that `jwt_bearer` trades for tokens (`iss`).",
            without: "the client's identifier"),
        Self(
            .subject, "a name",
            "On whose behalf the client asks: of whom those assertions speak (`sub`), and by what name "
                + "`GATEWAY_TOKEN_STORE` keeps the tokens of several apart.",
            without: "the client's own"),
        Self(
            .subjectTokenFile, tokenFilePath,
            "The token that `token_exchange` trades for another (RFC 8693), such as a projected service "
                + "account token. It is read anew each time."),
        Self(
            .subjectTokenType, tokenType,
            "What that token is.",
            without: "`access_token`"),
        Self(
            .actorTokenFile, tokenFilePath,
            "The token of who acts on the subject's behalf.",
            without: "nobody does"),
        Self(
            .actorTokenType, tokenType,
            "What that token is.",
            without: "`access_token`"),
        Self(
            .requestedTokenType, tokenType,
            "What the exchange shall bring.",
            without: "what the server gives"),
        Self(
            .scope, "scopes, separated by spaces",
            "What the token shall allow.",
            without: "what the server gives"),
        Self(
            .audience, "names or URLs, separated by spaces",
            "For whom the token is meant.",
            without: "what the server gives"),
        Self(
            .resource, "absolute URIs, separated by spaces",
            "What the token is for (RFC 8707).",
            without: "what the server gives"),
        Self(
            .tokenStore, "the absolute path of a folder, or a URL that the program has a store for",
            "Where tokens outlive the process, and are shared by processes.",
            without: "nowhere"),
        Self(
            .tokenStorePassword, "a password",
            "What opens the store that a URL names."),
        Self(
            .tokenStorePasswordFile, passwordFile,
            "The same, from a file."),
        Self(
            .plainHTTPHosts,
            "host names such as `orders` and suffixes such as `.svc.cluster.local`, separated by spaces or commas",
            "The hosts that credentials may be sent to over plain HTTP: for networks in which a service mesh "
                + "encrypts. Token endpoints need an entry with their full name.",
            without: "none"),
        Self(
            .caFile, pemFile,
            "The certificates to trust.",
            without: "the system's"),
        Self(
            .clientCertificateFile, pemFile,
            "The client's certificate, for mutual TLS."),
        Self(
            .clientKeyFile, pemFile,
            "The certificate's private key."),
        Self(
            .clientKeyPassword, "a password",
            "What the key is encrypted with, if it is."),
        Self(
            .clientKeyPasswordFile, passwordFile,
            "The same, from a file."),
        Self(
            .proxy, "`http://host[:port]`",
            "The proxy that all requests go through. `HTTP_PROXY` is not read.",
            without: "none"),
        Self(
            .proxyUsername, "a name without a colon",
            "Who we are to the proxy."),
        Self(
            .proxyPassword, "a password",
            "The password that goes with the name."),
        Self(
            .proxyPasswordFile, passwordFile,
            "The same, from a file."),
        Self(
            .httpVersion, "`1.1` or `2`",
            "Which HTTP is spoken; `2` where the server offers it over TLS.",
            without: "`1.1`"),
        Self(
            .deadline, duration + ", or `none`",
            "How long a call may take, waits and retries included.",
            without: "`60s`"),
        Self(
            .retries, "a whole number from 0 to 100",
            "How often a call is sent again at most.",
            without: "`2`"),
        Self(
            .tokenPatience, duration,
            "How long a call waits while no token can be had just now, within its deadline.",
            without: "not at all"),
        Self(
            .timeouts, "`standard`, `fast`, `slow` or `server`",
            "The limits of time of one exchange.",
            without: "`standard`"),
        Self(
            .connectTimeout, duration,
            "How long connecting may take, TLS included.",
            without: "`GATEWAY_TIMEOUTS`"),
        Self(
            .readTimeout, duration,
            "How long the server may be silent.",
            without: "`GATEWAY_TIMEOUTS`"),
        Self(
            .writeTimeout, duration,
            "How long the server may take nothing.",
            without: "`GATEWAY_TIMEOUTS`"),
        Self(
            .attemptTimeout, duration,
            "How long one exchange may take in all.",
            without: "`GATEWAY_TIMEOUTS`"),
    ]
}
