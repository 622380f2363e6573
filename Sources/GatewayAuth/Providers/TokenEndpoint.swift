public import GatewayCore

/// A token endpoint (RFC 6749 §3.2) and the client that uses it.
///
/// It needs its own transport: without authentication, so that a 401 of the endpoint never causes a refresh, and
/// without retries, so that no refresh token is used twice.
public struct TokenEndpoint: Sendable {
    /// The other endpoints of the server. Each URL must use `https`, or `http` with a loopback address. The client
    /// authenticates there in the same way.
    public struct Others: Hashable, Sendable {
        /// The revocation endpoint (RFC 7009); `nil` disables revocation.
        public var revocationURL: String?
        /// The introspection endpoint (RFC 7662).
        public var introspectionURL: String?
        /// The device authorization endpoint (RFC 8628 §3.1).
        public var deviceAuthorizationURL: String?

        /// Whether the endpoints come from an issuer's metadata.
        var isDiscovered = false

        /// Creates a set of endpoints.
        public init(
            revocationURL: String? = nil, introspectionURL: String? = nil,
            deviceAuthorizationURL: String? = nil
        ) {
            self.revocationURL = revocationURL
            self.introspectionURL = introspectionURL
            self.deviceAuthorizationURL = deviceAuthorizationURL
        }
    }

    /// The origin of the endpoint.
    public let origin: Origin
    /// How the client authenticates.
    public let client: ClientAuthentication
    /// The key that tokens are bound to; `nil` for bearer tokens.
    public let binding: DPoPBinding?

    let place: ParsedURL
    let revocation: ParsedURL?
    let introspection: ParsedURL?
    let deviceAuthorization: ParsedURL?
    /// Whether the endpoints come from an issuer's metadata.
    let isDiscovered: Bool
    let transport: any Transport
    let clock: any GatewayClock
    let random: any RandomSource

    /// Creates an endpoint.
    ///
    /// - Parameters:
    ///   - url: an absolute `https` URL, or `http` with a loopback address (127.0.0.0/8, `[::1]`).
    ///   - client: how the client authenticates.
    ///   - revocationURL: the revocation endpoint (RFC 7009), with the same restrictions; `nil` disables revocation.
    ///   - binding: the key that tokens are bound to; `nil` for bearer tokens. With a binding, bearer tokens are
    ///     rejected.
    ///   - transport: the transport for the requests.
    ///   - clock: the source of time.
    /// - Throws: ``GatewayCore/NetworkError`` with code `invalidURL` or `insecureOrigin`.
    public init(
        _ url: String, client: ClientAuthentication, revocationURL: String? = nil,
        binding: DPoPBinding? = nil, transport: any Transport, clock: any GatewayClock = SystemClock()
    ) throws(NetworkError) {
        try self.init(
            url, client: client, others: Others(revocationURL: revocationURL), binding: binding,
            transport: transport, clock: clock)
    }

    /// Creates an endpoint with the other endpoints of its server.
    ///
    /// - Parameters:
    ///   - url: an absolute `https` URL, or `http` with a loopback address (127.0.0.0/8, `[::1]`).
    ///   - client: how the client authenticates.
    ///   - others: the other endpoints of the server.
    ///   - binding: the key that tokens are bound to; `nil` for bearer tokens. With a binding, bearer tokens are
    ///     rejected.
    ///   - transport: the transport for the requests. If its connections use a client certificate, the client
    ///     authenticates with it, and the server may bind tokens to it (RFC 8705).
    ///   - clock: the source of time.
    ///   - random: the source of the identifiers of assertions.
    ///   - plainHTTP: the hosts that may be called over plain HTTP. Only complete host names are used.
    /// - Throws: ``GatewayCore/NetworkError`` with code `invalidURL` or `insecureOrigin`.
    public init(
        _ url: String, client: ClientAuthentication, others: Others, binding: DPoPBinding? = nil,
        transport: any Transport, clock: any GatewayClock = SystemClock(),
        random: any RandomSource = SystemRandomSource(), plainHTTP: PlainHTTPHosts = .none
    ) throws(NetworkError) {
        func parse(_ url: String) throws(NetworkError) -> ParsedURL {
            let parsed: ParsedURL
            do throws(NetworkError) {
                parsed = try ParsedURL(endpoint: url)
            } catch {
                throw NetworkError(
                    error.code, "The URL of a token endpoint cannot be used. \(error.message)")
            }
            try parsed.origin.refuseInsecureEndpoint("A token endpoint", allowing: plainHTTP)
            return parsed
        }
        func parse(optional url: String?) throws(NetworkError) -> ParsedURL? {
            guard let url else { return nil }
            return try parse(url)
        }
        place = try parse(url)
        origin = place.origin
        revocation = try parse(optional: others.revocationURL)
        introspection = try parse(optional: others.introspectionURL)
        deviceAuthorization = try parse(optional: others.deviceAuthorizationURL)
        isDiscovered = others.isDiscovered
        self.client = client
        self.binding = binding
        self.transport = transport
        self.clock = clock
        self.random = random
    }

    /// The absolute URL.
    var url: String { origin.description + place.target }

    /// The key for a token of this client from this endpoint.
    public func key(
        scopes: [String] = [], audiences: [String] = [], resources: [String] = [], tenant: String? = nil,
        subject: String? = nil
    ) -> TokenKey {
        TokenKey(
            issuer: url, client: client.clientID, tenant: tenant, subject: subject, scopes: scopes,
            audiences: audiences, resources: resources, binding: binding?.thumbprint)
    }

    // MARK: Grants

    /// Requests a grant. The request is sent once.
    ///
    /// If tokens are bound and the server requires a nonce in the proof (RFC 9449 §8), the request is sent once more:
    /// the first one was rejected because of its proof and did not use up anything.
    ///
    /// For an error response, the message of the error contains `error` and up to 200 characters of
    /// `error_description`, unless they repeat a secret of the request.
    ///
    /// - Parameters:
    ///   - parameters: the parameters of the body, including `grant_type`. The client authentication is added.
    ///   - spends: whether the request may use up something, such as a refresh token, so that a lost response matters.
    ///   - deadline: when to stop waiting for the response.
    /// - Throws: ``GatewayCore/NetworkError`` with the code `tokenUnavailable` if the service is unavailable (no
    ///   connection, 5xx, 408, 425, 429, `temporarily_unavailable` and similar), `reauthenticationRequired` if the
    ///   grant was refused, `credentialMisconfigured` for any other refusal, `tokenOutcomeUnknown` if the response to a
    ///   request that uses up something was lost, or `tokenResponseMalformed` if the response is not a valid OAuth 2.0
    ///   response.
    public func grant(
        _ parameters: [(String, String)], spends: Bool = false, deadline: Deadline
    ) async throws(NetworkError) -> TokenGrant {
        try grant(
            of: try await tokenResponse({ () throws(NetworkError) in parameters }, spends: spends, deadline))
    }

    /// Requests a grant with an assertion that is signed for each request.
    func grant(
        _ parameters: [(String, String)], signing assertion: SignedAssertion, subject: String?,
        deadline: Deadline
    ) async throws(NetworkError) -> TokenGrant {
        let (url, clock, random) = (url, clock, random)
        let response = try await tokenResponse(
            { () throws(NetworkError) in
                let signed = try assertion.sign(
                    subject: subject, endpoint: url, unixTime: clock.unixTime, random: random)
                return parameters + [("assertion", signed.exposed)]
            }, spends: false, deadline)
        return try grant(of: response)
    }

    /// Requests a grant by token exchange, and checks the type of the issued token (RFC 8693 §2.2.1).
    func grant(
        _ parameters: [(String, String)], issuing types: [TokenExchange.TokenType], deadline: Deadline
    ) async throws(NetworkError) -> TokenGrant {
        let response = try await tokenResponse(
            { () throws(NetworkError) in parameters }, spends: false, deadline)
        let grant = try grant(of: response)
        try response.checkIssued(types)
        return grant
    }

    /// Reads the grant of a response. Its type must be that of this endpoint's tokens.
    func grant(of response: TokenResponse) throws(NetworkError) -> TokenGrant {
        try response.grant(unixTime: clock.unixTime, type: binding == nil ? .bearer : .dpop)
    }

    /// Revokes a grant (RFC 7009). The request is sent once. It has the refresh token, whose revocation ends the whole
    /// grant (§2.1), or else the access token. Does nothing without a revocation endpoint.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` as ``grant(_:spends:deadline:)``. An unknown token is not an error
    ///   (§2.2).
    public func revoke(_ grant: TokenGrant, deadline: Deadline) async throws(NetworkError) {
        guard let revocation else { return }
        let token = grant.refreshToken ?? grant.accessToken
        let hint = grant.refreshToken == nil ? "access_token" : "refresh_token"
        let response = try await post(
            [("token", token.exposed), ("token_type_hint", hint)], to: revocation, .revocation,
            operation: "revoke", deadline: deadline)
        try response.confirm()
    }
}
