public import GatewayCore

/// A token endpoint (RFC 6749 §3.2) and the client that uses it.
///
/// It has a transport of its own: without authentication, so that a 401 of the endpoint never causes a refresh, and without
/// retries, so that no refresh token is spent twice.
public struct TokenEndpoint: Sendable {
    /// The other endpoints of the server. The same rule holds for their URLs: `https`, or `http` to a loopback literal.
    /// The client authenticates there in the same way.
    public struct Others: Hashable, Sendable {
        /// The revocation endpoint (RFC 7009); `nil` to revoke nothing.
        public var revocationURL: String?
        /// The introspection endpoint (RFC 7662).
        public var introspectionURL: String?
        /// The device authorization endpoint (RFC 8628 §3.1).
        public var deviceAuthorizationURL: String?

        /// Whether they come from an issuer's metadata.
        var isDiscovered = false

        /// Names endpoints.
        public init(
            revocationURL: String? = nil, introspectionURL: String? = nil,
            deviceAuthorizationURL: String? = nil
        ) {
            self.revocationURL = revocationURL
            self.introspectionURL = introspectionURL
            self.deviceAuthorizationURL = deviceAuthorizationURL
        }
    }

    /// The endpoint's origin.
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

    /// Names an endpoint.
    ///
    /// - Parameters:
    ///   - url: the absolute URL; `https`, or `http` to a loopback literal (127.0.0.0/8, `[::1]`).
    ///   - client: how the client proves who it is.
    ///   - revocationURL: where grants are taken back (RFC 7009), under the same rule; `nil` for nowhere.
    ///   - binding: what tokens are bound to; `nil` for bearer tokens. With one, a bearer token is refused.
    ///   - transport: makes the exchanges.
    ///   - clock: where time comes from.
    /// - Throws: ``GatewayCore/NetworkError`` with code `invalidURL` or `insecureOrigin`.
    public init(
        _ url: String, client: ClientAuthentication, revocationURL: String? = nil,
        binding: DPoPBinding? = nil, transport: any Transport, clock: any GatewayClock = SystemClock()
    ) throws(NetworkError) {
        try self.init(
            url, client: client, others: Others(revocationURL: revocationURL), binding: binding,
            transport: transport, clock: clock)
    }

    /// Names an endpoint and those beside it.
    ///
    /// - Parameters:
    ///   - url: the absolute URL; `https`, or `http` to a loopback literal (127.0.0.0/8, `[::1]`).
    ///   - client: how the client proves who it is.
    ///   - others: the endpoints beside it.
    ///   - binding: what tokens are bound to; `nil` for bearer tokens. With one, a bearer token is refused.
    ///   - transport: makes the exchanges. Where its connections show a certificate the client proves itself by that,
    ///     and the server may bind its tokens to it (RFC 8705).
    ///   - clock: where time comes from.
    ///   - random: where the identifiers of assertions come from.
    ///   - plainHTTP: the hosts that are called over plain HTTP; only those that it names in full.
    /// - Throws: ``GatewayCore/NetworkError`` with code `invalidURL` or `insecureOrigin`.
    public init(
        _ url: String, client: ClientAuthentication, others: Others, binding: DPoPBinding? = nil,
        transport: any Transport, clock: any GatewayClock = SystemClock(),
        random: any RandomSource = SystemRandomSource(), plainHTTP: PlainHTTPHosts = .none
    ) throws(NetworkError) {
        func parse(_ url: String) throws(NetworkError) -> ParsedURL {
            let parsed = try ParsedURL(url)
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

    /// The key of a token that this client gets here.
    public func key(
        scopes: [String] = [], audiences: [String] = [], resources: [String] = [], tenant: String? = nil,
        subject: String? = nil
    ) -> TokenKey {
        TokenKey(
            issuer: url, client: client.clientID, tenant: tenant, subject: subject, scopes: scopes,
            audiences: audiences, resources: resources, binding: binding?.thumbprint)
    }

    // MARK: Grants

    /// Requests a grant, once.
    ///
    /// Where tokens are bound and the server requires a nonce in the proof (RFC 9449 §8), the request is sent once more:
    /// the first one was refused for its proof, and has spent nothing.
    ///
    /// Of an error response, `error` and up to 200 characters of `error_description` are shown in the message of the
    /// error, unless they repeat a secret of the request.
    ///
    /// - Parameters:
    ///   - parameters: the body's parameters with `grant_type`; the client's own are added.
    ///   - spends: whether the request may spend something, such as a refresh token, so that a lost response matters.
    ///   - deadline: when the response must be there.
    /// - Throws: ``GatewayCore/NetworkError``: with the code `tokenUnavailable` while the service is unavailable (no
    ///   connection, 5xx, 408, 425, 429, `temporarily_unavailable` and the like), `reauthenticationRequired` for a grant
    ///   that is refused, `credentialMisconfigured` for any other refusal, `tokenOutcomeUnknown` for a lost response to a
    ///   request that spends something, `tokenResponseMalformed` for a response that is not one of OAuth 2.
    public func grant(
        _ parameters: [(String, String)], spends: Bool = false, deadline: Deadline
    ) async throws(NetworkError) -> TokenGrant {
        try grant(
            of: try await tokenResponse({ () throws(NetworkError) in parameters }, spends: spends, deadline))
    }

    /// Requests a grant by an assertion that is signed anew for each request.
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

    /// Requests a grant by an exchange, and checks the type of the issued token (RFC 8693 §2.2.1).
    func grant(
        _ parameters: [(String, String)], issuing types: [TokenExchange.TokenType], deadline: Deadline
    ) async throws(NetworkError) -> TokenGrant {
        let response = try await tokenResponse(
            { () throws(NetworkError) in parameters }, spends: false, deadline)
        let grant = try grant(of: response)
        try response.checkIssued(types)
        return grant
    }

    /// The grant of an answer, of the type that this endpoint's tokens have.
    func grant(of response: TokenResponse) throws(NetworkError) -> TokenGrant {
        try response.grant(unixTime: clock.unixTime, type: binding == nil ? .bearer : .dpop)
    }

    /// Revokes a grant (RFC 7009), once: its refresh token, with which a server ends the whole grant (§2.1), else its
    /// access token. Does nothing without a revocation endpoint.
    ///
    /// - Throws: ``GatewayCore/NetworkError``, as ``grant(_:spends:deadline:)``. A token that the server does not know is
    ///   not an error (§2.2).
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
