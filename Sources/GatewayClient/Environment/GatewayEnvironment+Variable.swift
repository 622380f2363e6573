extension GatewayEnvironment {
    /// A variable that a ``GatewayEnvironment`` reads. An empty value counts as not set.
    public struct Variable: Hashable, Sendable, CustomStringConvertible {
        /// Its name, such as `GATEWAY_TOKEN_URL`.
        public let name: String
        /// The allowed values.
        public let expected: String
        /// What it is for.
        public let summary: String
        /// The default, if it is not obvious.
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

    /// The allowed values.
    var expected: String { Self.values[self] ?? "another value" }
}

// Values that several variables allow.
private let url = "a URL, `https`, or `http` to a loopback address"
private let pemFile = "the path of a PEM file"
private let passwordFile = "the path of a file with a password"
private let tokenFilePath = "the path of a file with a token"
private let assertionFilePath = "the path of a file with an assertion"
private let tokenType = "`access_token`, `jwt`, `id_token`, `refresh_token`, `saml2` or a URI"
private let duration = "a time such as `500ms`, `10s` or `2m`"

extension GatewayEnvironment.Variable {
    /// Every variable, in the order of the documentation, with its values, its meaning and its default.
    public static let all: [Self] = [
        Self(
            .baseURL, "a URL, `https` or `http`, without a query",
            "The URL that relative URLs begin with. The credential is sent to its origin."),
        Self(
            .origins, "origins such as `https://api.example.com`, separated by spaces or commas",
            "Further origins that the credential is sent to. It is sent to no other."),
        Self(
            .token, "an access token",
            "A fixed token. Better: `GATEWAY_TOKEN_FILE`."),
        Self(
            .tokenFile, "the path of a file with an access token",
            "A token that another program writes and renews there. It is read again whenever one is needed."),
        Self(
            .tokenURL, url,
            "The token endpoint (RFC 6749)."),
        Self(
            .issuer, "a URL, `https`, or `http` to a loopback address, without a query",
            "The authorization server. Its endpoints are discovered, in place of the URLs below."),
        Self(
            .discovery, "`openid` or `oauth`",
            "Where the issuer's metadata is: `openid` appends `/.well-known/openid-configuration` (OpenID "
                + "Connect Discovery), `oauth` uses `/.well-known/oauth-authorization-server` (RFC 8414).",
            without: "`openid`"),
        Self(
            .issuerMatch, "`exact` or `ignore_trailing_slash`",
            "How the issuer in the metadata must match `GATEWAY_ISSUER`: byte for byte, or apart from a slash "
                + "at the end.",
            without: "`exact`"),
        Self(
            .deviceURL, url,
            "The device authorization endpoint, for a sign-in by another device (RFC 8628).",
            without: "the issuer's"),
        Self(
            .authorizationURL, url,
            "The authorization endpoint: the page where a person signs in by a browser (RFC 6749).",
            without: "the issuer's"),
        Self(
            .redirectURI,
            "`http://127.0.0.1`, `http://[::1]` or `http://localhost`, with an optional port and path",
            "Where the browser returns after the sign-in. It must be registered for the client; many servers compare "
                + "it exactly. Without a port a free one is used.",
            without: "`http://127.0.0.1/callback`"),
        Self(
            .authorizationParameters,
            "parameters such as `prompt=login&ui_locales=de+en`, encoded as in a URL",
            "Additional parameters for the page where a person signs in, such as `prompt`, `login_hint`, `acr_values`, "
                + "`max_age` or `ui_locales`."),
        Self(
            .revocationURL, url,
            "The revocation endpoint (RFC 7009), which `gateway logout` uses.",
            without: "the issuer's"),
        Self(
            .clientID, "the client's identifier",
            "The client at the token endpoint."),
        Self(
            .clientSecret, "the client's secret",
            "The secret of the client. Better: `GATEWAY_CLIENT_SECRET_FILE`."),
        Self(
            .clientSecretFile, "the path of a file with the client's secret",
            "The same, from a file, which is read again for each token."),
        Self(
            .clientAuthentication, "`basic`, `post`, `private_key_jwt`, `assertion`, `tls` or `none`",
            "How the client authenticates: by its secret (in a header field or in the body), by an assertion that it "
                + "signs or that is signed elsewhere, by its certificate, or not at all.",
            without: "chosen by the other variables and, for a secret, by the issuer's metadata; else `basic`"
        ),
        Self(
            .signingKeyFile, "the path of a PEM file with a private key, not encrypted",
            "The key that signs assertions (RFC 7523): the client's own, and those that `jwt_bearer` "
                + "exchanges for tokens."),
        Self(
            .signingKeyID, "the key's name",
            "The identifier of the signing key (`kid`)."),
        Self(
            .signingAlgorithm, "`RS256`, `RS384`, `RS512`, `ES256`, `ES384` or `ES512`",
            "The signature algorithm.",
            without: "`RS256`"),
        Self(
            .assertionAudience, "a name or URL",
            "The audience of assertions (`aud`).",
            without: "the token endpoint's URL"),
        Self(
            .clientAssertionFile, assertionFilePath,
            "An assertion that is signed and renewed by another program, such as a projected service account "
                + "token."),
        Self(
            .dpopKeyFile, "the path of a PEM file with a private key on P-256, P-384 or P-521, not encrypted",
            "Binds tokens to this key: each request proves that its sender has it (RFC 9449).",
            without: "tokens are not bound"),
        Self(
            .grant,
            "`client_credentials`, `refresh_token`, `authorization_code`, `device_code`, `jwt_bearer` or "
                + "`token_exchange`",
            "How tokens are obtained. With `authorization_code` (a browser on this machine) and `device_code` (another "
                + "device) a person signs in by `gateway login`, and `GATEWAY_TOKEN_STORE` keeps the tokens.",
            without: "chosen by the other variables, else `client_credentials`"),
        Self(
            .refreshToken, "a refresh token",
            "The first refresh token, in place of client credentials. Where the server replaces it at "
                + "each use, `GATEWAY_TOKEN_STORE` keeps those that follow."),
        Self(
            .refreshTokenFile, "the path of a file with a refresh token",
            "The same, from a file."),
        Self(
            .assertionFile, assertionFilePath,
            "The assertion that `jwt_bearer` exchanges for tokens, if another program signs and renews it."),
        Self(
            .assertionIssuer, "a name or URL",
            "The issuer of the assertions that `jwt_bearer` exchanges for tokens (`iss`).",
            without: "the client's identifier"),
        Self(
            .subject, "a name",
            "The subject of those assertions (`sub`), and the name that separates the tokens of several people in "
                + "`GATEWAY_TOKEN_STORE`.",
            without: "the client itself"),
        Self(
            .subjectTokenFile, tokenFilePath,
            "The token that `token_exchange` exchanges for another (RFC 8693), such as a projected service "
                + "account token. It is read again each time."),
        Self(
            .subjectTokenType, tokenType,
            "The type of the subject token.",
            without: "`access_token`"),
        Self(
            .actorTokenFile, tokenFilePath,
            "The token of the party that acts for the subject.",
            without: "none"),
        Self(
            .actorTokenType, tokenType,
            "The type of the actor token.",
            without: "`access_token`"),
        Self(
            .requestedTokenType, tokenType,
            "The type of token to request.",
            without: "the server's default"),
        Self(
            .scope, "scopes, separated by spaces",
            "The scopes to request. With `openid` a sign-in by a browser validates an ID token.",
            without: "the server's default"),
        Self(
            .audience, "names or URLs, separated by spaces",
            "The audience to request.",
            without: "the server's default"),
        Self(
            .resource, "absolute URIs, separated by spaces",
            "The resources to request (RFC 8707).",
            without: "the server's default"),
        Self(
            .tokenStore, "the absolute path of a folder, or a URL that the program has a store for",
            "Where tokens are kept after the process ends, and shared by processes.",
            without: "nowhere"),
        Self(
            .tokenStorePassword, "a password",
            "The password of the store."),
        Self(
            .tokenStorePasswordFile, passwordFile,
            "The same, from a file."),
        Self(
            .account, "a name",
            "The durable name of the account that the credential belongs to, for data that outlives the process. "
                + "With `GATEWAY_TOKEN_STORE` the store identifies the account.",
            without: "such data is not kept"),
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
            "The password of the key, if it is encrypted."),
        Self(
            .clientKeyPasswordFile, passwordFile,
            "The same, from a file."),
        Self(
            .proxy, "`http://host[:port]`",
            "The proxy. Requests to loopback addresses do not use it, nor do plain HTTP requests to "
                + "`GATEWAY_PLAIN_HTTP_HOSTS`. `HTTP_PROXY` is not read.",
            without: "none"),
        Self(
            .proxyUsername, "a name without a colon",
            "The user name at the proxy."),
        Self(
            .proxyPassword, "a password",
            "The password of that user."),
        Self(
            .proxyPasswordFile, passwordFile,
            "The same, from a file."),
        Self(
            .httpVersion, "`1.1` or `2`",
            "The version of HTTP; `2` is used if the server offers it over TLS.",
            without: "`1.1`"),
        Self(
            .deadline, duration + ", or `none`",
            "How long a call may take, waits and retries included.",
            without: "`60s`"),
        Self(
            .retryPolicy, "`standard`, `patient`, `moderate`, `aggressive` or `server`",
            "How often and after which delays a call is sent again: `standard` 3 attempts from 50 ms, `patient` 5 from "
                + "1 s, `moderate` 3 from 1 s, `aggressive` 10 from 0.5 s, `server` 4 from 250 ms.",
            without: "`standard`"),
        Self(
            .retries, "a whole number from 0 to 100",
            "How many times a call is sent again at most.",
            without: "`GATEWAY_RETRY_POLICY`"),
        Self(
            .retryBudget, "`standard`, `strict`, `generous` or `none`",
            "How many retries the calls to an origin may make, so that they do not multiply the load of a server that "
                + "fails: `standard` 20 % of the requests and 10 per second, `strict` 10 % and 1, `generous` 50 % and 50.",
            without: "`standard`"),
        Self(
            .tokenPatience, duration + ", or `none`",
            "How long a call waits while the token service is unavailable, within its deadline.",
            without: "`5s`"),
        Self(
            .rejectionStatuses, "`400`, `403` or both, separated by spaces or commas",
            "The statuses besides 401 that reject a token, if the response says `invalid_token`: for gateways "
                + "that answer a revoked token so. The token is then renewed and the call sent once more.",
            without: "none"),
        Self(
            .timeouts, "`standard`, `fast`, `slow` or `server`",
            "The time limits of one exchange.",
            without: "`standard`"),
        Self(
            .connectTimeout, duration,
            "How long connecting may take, TLS included.",
            without: "`GATEWAY_TIMEOUTS`"),
        Self(
            .readTimeout, duration,
            "How long the server may send nothing.",
            without: "`GATEWAY_TIMEOUTS`"),
        Self(
            .writeTimeout, duration,
            "How long the server may accept nothing.",
            without: "`GATEWAY_TIMEOUTS`"),
        Self(
            .attemptTimeout, duration,
            "How long one exchange may take.",
            without: "`GATEWAY_TIMEOUTS`"),
        Self(
            .circuitBreaker, "`none`, `standard`, `aggressive`, `conservative` or `server`",
            "When calls are rejected because their host or operation fails, and for how long: the policy of the circuit "
                + "breakers.",
            without: "`none`"),
        Self(
            .rateGate, "`none`, `standard`, `patient`, `fail-fast` or `cautious`",
            "Which rate limits of servers hold calls back, and how long they wait: the policy of the rate gate.",
            without: "`none`"),
        Self(
            .bulkhead, "`none`, `mobile`, `server`, or limits such as `per-origin=16,in-all=64`",
            "How many calls may be in progress: `mobile` 6 to an origin and 24 in all, `server` 8 to 64, adapted to the "
                + "latency, and 256. A range such as `per-origin=8-64` is adapted; `in-all` defaults to four times the limit of "
                + "an origin.",
            without: "`none`"),
        Self(
            .hedging, "`none` or `standard`",
            "When a `GET` or `HEAD` whose response takes long is sent a second time: `standard` after the 95th percentile of "
                + "latencies and at least 10 ms, for 5 % of the requests.",
            without: "`none`"),
        Self(
            .cache,
            "`off`, `memory`, `memory:` and a number of bytes, or, if the program has a store for it, `disk:` and the absolute "
                + "path of a file, or `disk:`, a number of bytes, `:` and the path",
            "Whether and where responses are stored and used again (RFC 9111), and how much room they may take; `memory` is "
                + "16 MiB, `disk` 256 MiB. A file has the responses for accounts only: with `GATEWAY_ACCOUNT` or "
                + "`GATEWAY_TOKEN_STORE`.",
            without: "`off`"),
        Self(
            .networkMonitor, "`on` or `off`",
            "Whether the links of the machine are watched: after a change of the network connections are dropped and open "
                + "circuits of hosts probe at once.",
            without: "`off`"),
        Self(
            .networkHeartbeat, "`off` or a time",
            "How often it is checked that the origins accept connections, such as `30s`. Needs `GATEWAY_NETWORK_MONITOR`.",
            without: "`off`"),
        Self(
            .networkPortalCheck, "`off` or a path",
            "The path of the origins that is requested now and then, such as `/health`, to find networks that require a sign-in; "
                + "intercepted TLS is reported, too. Needs `GATEWAY_NETWORK_MONITOR`.",
            without: "`off`"),
        Self(
            .networkAdaptation, "`on` or `off`",
            "Whether the deadlines, time limits and retries of calls without their own follow the quality of the network. Needs "
                + "`GATEWAY_NETWORK_MONITOR`.",
            without: "`off`"),
    ]
}
