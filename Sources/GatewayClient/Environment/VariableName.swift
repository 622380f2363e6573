/// The names of the variables, without their common prefix, in the order of the documentation.
enum VariableName: String, CaseIterable, CustomStringConvertible {
    case baseURL = "BASE_URL", origins = "ORIGINS", token = "TOKEN", tokenFile = "TOKEN_FILE"
    case tokenURL = "TOKEN_URL", issuer = "ISSUER", discovery = "DISCOVERY"
    case issuerMatch = "ISSUER_MATCH", deviceURL = "DEVICE_URL"
    case authorizationURL = "AUTHORIZATION_URL", redirectURI = "REDIRECT_URI"
    case authorizationParameters = "AUTHORIZATION_PARAMETERS"
    case revocationURL = "REVOCATION_URL", clientID = "CLIENT_ID", clientSecret = "CLIENT_SECRET"
    case clientSecretFile = "CLIENT_SECRET_FILE", clientAuthentication = "CLIENT_AUTH"
    case signingKeyFile = "SIGNING_KEY_FILE", signingKeyID = "SIGNING_KEY_ID"
    case signingAlgorithm = "SIGNING_ALGORITHM", assertionAudience = "ASSERTION_AUDIENCE"
    case clientAssertionFile = "CLIENT_ASSERTION_FILE", dpopKeyFile = "DPOP_KEY_FILE", grant = "GRANT"
    case refreshToken = "REFRESH_TOKEN", refreshTokenFile = "REFRESH_TOKEN_FILE"
    case assertionFile = "ASSERTION_FILE", assertionIssuer = "ASSERTION_ISSUER", subject = "SUBJECT"
    case subjectTokenFile = "SUBJECT_TOKEN_FILE", subjectTokenType = "SUBJECT_TOKEN_TYPE"
    case actorTokenFile = "ACTOR_TOKEN_FILE", actorTokenType = "ACTOR_TOKEN_TYPE"
    case requestedTokenType = "REQUESTED_TOKEN_TYPE", scope = "SCOPE", audience = "AUDIENCE"
    case resource = "RESOURCE", tokenStore = "TOKEN_STORE"
    case tokenStorePassword = "TOKEN_STORE_PASSWORD", tokenStorePasswordFile = "TOKEN_STORE_PASSWORD_FILE"
    case account = "ACCOUNT"
    case plainHTTPHosts = "PLAIN_HTTP_HOSTS", caFile = "CA_FILE"
    case clientCertificateFile = "CLIENT_CERTIFICATE_FILE", clientKeyFile = "CLIENT_KEY_FILE"
    case clientKeyPassword = "CLIENT_KEY_PASSWORD", clientKeyPasswordFile = "CLIENT_KEY_PASSWORD_FILE"
    case proxy = "PROXY", proxyUsername = "PROXY_USERNAME", proxyPassword = "PROXY_PASSWORD"
    case proxyPasswordFile = "PROXY_PASSWORD_FILE", httpVersion = "HTTP_VERSION", deadline = "DEADLINE"
    case retryPolicy = "RETRY_POLICY", retries = "RETRIES", retryBudget = "RETRY_BUDGET"
    case tokenPatience = "TOKEN_PATIENCE"
    case rejectionStatuses = "REJECTION_STATUSES", timeouts = "TIMEOUTS"
    case connectTimeout = "CONNECT_TIMEOUT", readTimeout = "READ_TIMEOUT", writeTimeout = "WRITE_TIMEOUT",
        attemptTimeout = "ATTEMPT_TIMEOUT"
    case circuitBreaker = "CIRCUIT_BREAKER", rateGate = "RATE_GATE", bulkhead = "BULKHEAD"
    case hedging = "HEDGING", cache = "CACHE", networkMonitor = "NETWORK_MONITOR"
    case networkHeartbeat = "NETWORK_HEARTBEAT", networkPortalCheck = "NETWORK_PORTAL_CHECK"
    case networkAdaptation = "NETWORK_ADAPTATION"

    /// The whole name, such as `GATEWAY_TOKEN_URL`.
    var description: String { "GATEWAY_" + rawValue }
}
