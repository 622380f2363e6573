public import GatewayCore

/// A token endpoint (RFC 6749 §3.2) with the client that speaks to it.
///
/// Its transport is its own: no authentication stands above it, so that a 401 from here can never cause a refresh, and
/// nothing sends a request twice, so that no refresh token is spent twice.
public struct TokenEndpoint: Sendable {
    /// Whom the requests go to.
    public let origin: Origin
    /// How the client proves who it is.
    public let client: ClientAuthentication

    private let target: String
    private let revocation: ParsedURL?
    private let transport: any Transport
    let clock: any GatewayClock
    let random: any RandomSource

    /// Answers are small; whatever is larger is none.
    private static let maximumBytes = 256 << 10

    /// Names an endpoint.
    ///
    /// - Parameters:
    ///   - url: the absolute URL; `https`, or `http` to a loopback literal (127.0.0.0/8, `[::1]`).
    ///   - client: how the client proves who it is.
    ///   - revocationURL: where grants are taken back (RFC 7009), under the same rule; `nil` for nowhere. The client
    ///     proves who it is there in the same way.
    ///   - transport: makes the exchanges.
    ///   - clock: where time comes from.
    ///   - random: where the identifiers of assertions come from.
    /// - Throws: ``GatewayCore/NetworkError`` with code `invalidURL` or `insecureOrigin`.
    public init(
        _ url: String, client: ClientAuthentication, revocationURL: String? = nil, transport: any Transport,
        clock: any GatewayClock = SystemClock(), random: any RandomSource = SystemRandomSource()
    ) throws(NetworkError) {
        let parsed = try Self.parse(url)
        origin = parsed.origin
        target = parsed.target
        if let revocationURL { revocation = try Self.parse(revocationURL) } else { revocation = nil }
        self.client = client
        self.transport = transport
        self.clock = clock
        self.random = random
    }

    private static func parse(_ url: String) throws(NetworkError) -> ParsedURL {
        let parsed = try ParsedURL(url)
        try parsed.origin.refuseInsecureEndpoint("A token endpoint is reached")
        return parsed
    }

    /// The absolute URL.
    var url: String { origin.description + target }

    /// Signs an assertion for this endpoint.
    func sign(_ assertion: SignedAssertion, subject: String?) throws(NetworkError) -> Secret {
        try assertion.sign(subject: subject, endpoint: url, unixTime: clock.unixTime, random: random)
    }

    /// The key of a token that this client gets here.
    public func key(
        scopes: [String] = [], audiences: [String] = [], tenant: String? = nil, subject: String? = nil
    ) -> TokenKey {
        TokenKey(
            issuer: url, client: client.clientID, tenant: tenant, subject: subject,
            scopes: scopes, audiences: audiences)
    }

    /// Asks for a grant, once.
    ///
    /// - Parameters:
    ///   - parameters: the body's parameters with `grant_type`; the client's own are added.
    ///   - spends: whether the request may use something up, such as a refresh token, so that a lost answer matters.
    ///   - deadline: when the answer must be there.
    /// - Throws: ``GatewayCore/NetworkError`` of category `authentication`.
    public func grant(
        _ parameters: [(String, String)], spends: Bool = false, deadline: Deadline
    ) async throws(NetworkError) -> TokenGrant {
        let response = try await post(
            parameters, to: origin, target, operation: "token", spends: spends, deadline: deadline)
        return try response.grant(unixTime: clock.unixTime)
    }

    /// Asks for a grant by an exchange, once, and sees to it that the server says what it issued (RFC 8693 §2.2.1).
    func grant(
        _ parameters: [(String, String)], issuing types: [TokenExchange.TokenType], deadline: Deadline
    ) async throws(NetworkError) -> TokenGrant {
        let response = try await post(
            parameters, to: origin, target, operation: "token", spends: false, deadline: deadline)
        let grant = try response.grant(unixTime: clock.unixTime)
        try response.checkIssued(types)
        return grant
    }

    /// Takes a grant back (RFC 7009), once: its refresh token, with which a server ends the whole grant (§2.1), else its
    /// access token. Does nothing where no revocation endpoint was given.
    ///
    /// - Throws: ``GatewayCore/NetworkError`` of category `authentication`. A token that the server does not know, or
    ///   no longer, is no error (§2.2).
    public func revoke(_ grant: TokenGrant, deadline: Deadline) async throws(NetworkError) {
        guard let revocation else { return }
        let token = grant.refreshToken ?? grant.accessToken
        let hint = grant.refreshToken == nil ? "access_token" : "refresh_token"
        let response = try await post(
            [("token", token.exposed), ("token_type_hint", hint)], to: revocation.origin, revocation.target,
            operation: "revoke", spends: false, deadline: deadline)
        try response.confirm()
    }

    private func post(
        _ parameters: [(String, String)], to origin: Origin, _ target: String, operation: StaticString,
        spends: Bool, deadline: Deadline
    ) async throws(NetworkError) -> TokenResponse {
        var parameters = parameters
        var fields: HTTPFields = [
            .accept: "application/json", .contentType: "application/x-www-form-urlencoded",
        ]
        try await client.apply(
            to: &fields, &parameters, endpoint: url, unixTime: clock.unixTime, random: random)
        let request = HTTPRequest(
            method: .post, origin: origin, target: target, fields: fields,
            body: .text(FormEncoding.body(parameters)))
        var context = RequestContext(operation: operation, clock: clock).limited(to: deadline)
        context.response = .collect(upToBytes: Self.maximumBytes)
        let answer: HTTPResponse
        let body: [UInt8]
        do throws(NetworkError) {
            answer = try await transport.send(request, context: context)
            body = try await answer.body.collect(upToBytes: Self.maximumBytes)
        } catch {
            throw failure(error, spends: spends)
        }
        let retryAfter = answer.fields[.retryAfter].flatMap {
            RetryAfter.parse($0, unixTime: clock.unixTime)
        }
        return TokenResponse(status: answer.status, body: body, retryAfter: retryAfter, origin: origin)
    }

    private func failure(_ error: NetworkError, spends: Bool) -> NetworkError {
        let (code, message): (NetworkError.Code, String) =
            switch error.code {
            case .responseTooLarge, .malformedResponse:
                (.tokenResponseMalformed, "The token endpoint does not speak OAuth 2.")
            case _ where spends && error.mayHaveBeenSent:
                (.tokenOutcomeUnknown, "The token request was sent and its answer lost (\(error.code)).")
            default: (.tokenUnavailable, "The token endpoint could not be reached (\(error.code)).")
            }
        return NetworkError(
            code, message, origin: origin, phase: error.phase, retryAfter: error.retryAfter,
            underlying: error)
    }
}
