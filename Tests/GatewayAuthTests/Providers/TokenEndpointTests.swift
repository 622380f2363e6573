import GatewayAuth
import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

/// What goes to the token endpoint, and what is made of its answers.
@Suite(.timeLimit(.minutes(1))) struct TokenEndpointTests {
    private let clock = ManualClock()
    private static let good = #"{"access_token":"t","token_type":"Bearer","expires_in":60}"#

    private func endpoint(
        _ transport: any Transport,
        _ client: ClientAuthentication = .basic(clientID: "id", secret: Secret("secret"))
    ) throws -> TokenEndpoint {
        try TokenEndpoint(
            "https://login.example.com/token", client: client, transport: transport, clock: clock)
    }

    private func acquire(_ reply: ScriptedTransport.Reply) async throws -> Result<TokenGrant, NetworkError> {
        let transport = ScriptedTransport(reply)
        let result = await acquire(ClientCredentials(endpoint: try endpoint(transport)))
        // Whatever comes back: an attempt is one request.
        #expect(transport.requests.count == 1)
        return result
    }

    private func acquire(
        _ acquirer: any TokenAcquirer, key: TokenKey = .default, previous: TokenGrant? = nil
    ) async -> Result<TokenGrant, NetworkError> {
        let request = TokenRequest(
            key: key, previous: previous, previousWasRejected: false,
            deadline: .after(.seconds(30), clock: clock))
        do { return .success(try await acquirer.acquire(request)) } catch {
            return .failure(NetworkError(wrapping: error))
        }
    }

    private static func body(_ request: HTTPRequest?) -> String {
        String(decoding: request?.body.bytes ?? [], as: UTF8.self)
    }

    /// RFC 6749 §3.1, §3.2
    @Test func anEndpointHasNoFragment() throws {
        let client = ClientAuthentication.basic(clientID: "id", secret: Secret("secret"))
        let (plain, marked) = ("https://login.example.com/token", "https://login.example.com/token#f")
        for (token, revocation) in [(marked, plain), (plain, marked), (plain + "#", plain)] {
            let error = #expect(throws: NetworkError.self) {
                try TokenEndpoint(
                    token, client: client, revocationURL: revocation, transport: ScriptedTransport())
            }
            #expect(error?.code == .invalidURL)
        }
        let endpoint = try endpoint(ScriptedTransport())
        let error = #expect(throws: NetworkError.self) {
            try AuthorizationCode(endpoint: endpoint, authorizationURL: marked, issuer: nil)
        }
        #expect(error?.code == .invalidURL)
    }

    // MARK: What goes out

    @Test func basicFormEncodesIdentifierAndSecret() async throws {
        let transport = ScriptedTransport(.status(200, Self.good))
        let acquirer = ClientCredentials(
            endpoint: try endpoint(transport, .basic(clientID: "my id:1", secret: Secret("p%ä+/ü"))))
        let key = TokenKey(scopes: ["write", "read"], audiences: ["https://api.example.com"])
        _ = try await acquire(acquirer, key: key).get()
        let request = transport.requests.first
        // base64 of my+id%3A1:p%25%C3%A4%2B%2F%C3%BC
        #expect(
            request?.fields[.authorization] == "Basic bXkraWQlM0ExOnAlMjUlQzMlQTQlMkIlMkYlQzMlQkM=")
        #expect(
            Self.body(request)
                == "grant_type=client_credentials&scope=read+write&audience=https%3A%2F%2Fapi.example.com")
        #expect(request?.method == .post)
        #expect(request?.fields[.contentType] == "application/x-www-form-urlencoded")
    }

    @Test func postPutsTheSecretIntoTheBody() async throws {
        let transport = ScriptedTransport(.status(200, Self.good))
        let acquirer = ClientCredentials(
            endpoint: try endpoint(transport, .post(clientID: "a&b", secret: Secret("c=d"))))
        _ = try await acquire(acquirer).get()
        #expect(transport.requests.first?.fields[.authorization] == nil)
        #expect(
            Self.body(transport.requests.first)
                == "grant_type=client_credentials&client_id=a%26b&client_secret=c%3Dd")
    }

    @Test(arguments: [
        ("https://login.example.com/token", true), ("http://127.0.0.1:9000/token", true),
        ("http://127.9.9.9/token", true), ("http://[::1]:9000/token", true),
        ("http://login.example.com/token", false), ("http://localhost:9000/token", false),
        ("http://127.0.0.1.evil.test/token", false), ("http://10.0.0.1/token", false),
    ])
    func onlySecureEndpoints(url: String, isFine: Bool) throws {
        let transport = ScriptedTransport(.status(200))
        let result = Result {
            try TokenEndpoint(url, client: .publicClient(clientID: "id"), transport: transport)
        }
        if isFine {
            _ = try result.get()
        } else {
            let error = #expect(throws: NetworkError.self) { try result.get() }
            #expect(error?.code == .insecureOrigin)
        }
    }

    // MARK: What comes back

    @Test(arguments: [
        ("3600", 3600), ("\"3600\"", 3600), ("3599.99", 3599), ("\"3599.5\"", 3599), ("1e3", 1000), ("0", 0),
        ("-5", 0), ("\"-5\"", 0), ("1e400", 315_360_000), ("99999999999999999999999", 315_360_000),
        ("\"1e400\"", 315_360_000), ("null", nil), ("\"\"", nil), ("\"soon\"", nil), ("\"nan\"", nil),
        ("\"inf\"", nil), ("\"0x10\"", nil), ("true", nil), ("[]", nil), ("{}", nil),
    ])
    func expiresInOfAnyKind(text: String, seconds: Int?) async throws {
        let reply = #"{"access_token":"t","token_type":"Bearer","expires_in":\#(text)}"#
        let grant = try await acquire(.status(200, reply)).get()
        #expect(grant.expiresIn == seconds.map { .seconds($0) })
        // Neither for ever, nor again and again.
        let acquirer = ScriptedAcquirer { _, _ in grant }
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer, policy: .impatient, clock: clock)
        for _ in 0..<10 { _ = await outcome { () throws(NetworkError) in try await coordinator.token() } }
        #expect(acquirer.count == 1)
        clock.advance(by: .seconds(86_400))
        _ = await outcome { () throws(NetworkError) in try await coordinator.token() }
        #expect(acquirer.count == 2)
    }

    @Test func withoutExpiresInTheTokenItselfIsAsked() async throws {
        let key = try JSONWebTokenKey(secret: Array(repeating: 7, count: 32))
        let token = try JSONWebToken.sign(claims: ["iat": 1000, "exp": 1300], key: key).exposed
        let grant = try await acquire(.status(200, #"{"access_token":"\#(token)"}"#)).get()
        #expect(grant.expiresIn == .seconds(300))
    }

    @Test(arguments: ["Bearer", "BEARER", "bearer"])
    func theTypeIsWrittenAsBearer(type: String) async throws {
        let token = ScriptedTransport(.status(200, #"{"access_token":"t","token_type":"\#(type)"}"#))
        let api = ScriptedTransport(.status(200))
        let coordinator = TokenRefreshCoordinator(
            acquirer: ClientCredentials(endpoint: try endpoint(token)), policy: .impatient)
        let engine = AuthenticatedRequestEngine(
            transport: api, coordinator: coordinator, scope: try CredentialScope(["https://api.example.com"]))
        _ = try await engine.send(try HTTPRequest(.get, "https://api.example.com/"))
        #expect(api.requests.first?.fields[.authorization] == "Bearer t")
    }

    @Test(arguments: [
        (200, "<html>Sign in</html>", NetworkError.Code.tokenResponseMalformed),
        (200, "", .tokenResponseMalformed),
        (200, "[]", .tokenResponseMalformed), (200, "{}", .tokenResponseMalformed),
        (200, #"{"access_token":null}"#, .tokenResponseMalformed),
        (200, #"{"access_token":""}"#, .tokenResponseMalformed),
        (200, #"{"access_token":7}"#, .tokenResponseMalformed),
        (200, #"{"access_token":"a b"}"#, .tokenResponseMalformed),
        (200, #"{"access_token":"a\r\nX: y"}"#, .tokenResponseMalformed),
        (200, #"{"access_token":"a","access_token":"b"}"#, .tokenResponseMalformed),
        (200, #"{"access_token":"t","token_type":"mac"}"#, .tokenResponseMalformed),
        (200, #"{"access_token":"t","token_type":7}"#, .tokenResponseMalformed),
        (200, #"{"error":""}"#, .tokenResponseMalformed), (400, #"{"error":""}"#, .credentialMisconfigured),
        (503, #"{"error":""}"#, .tokenUnavailable),
        (200, #"{"error":"invalid_grant"}"#, .reauthenticationRequired),
        (200, #"{"error":"anything","access_token":"t"}"#, .credentialMisconfigured),
        (400, #"{"error":"invalid_grant"}"#, .reauthenticationRequired),
        (401, #"{"error":"invalid_client"}"#, .credentialMisconfigured),
        (400, #"{"error":"invalid_scope"}"#, .credentialMisconfigured),
        (400, #"{"error":"scope_invalid"}"#, .credentialMisconfigured),
        (403, #"{"error":"something_new"}"#, .credentialMisconfigured),
        (400, #"{"error":"temporarily_unavailable"}"#, .tokenUnavailable),
        (400, #"{"error":"server_error"}"#, .tokenUnavailable),
        (400, #"{"error":"slow_down"}"#, .tokenUnavailable),
        (429, #"{"error":"something_new"}"#, .tokenUnavailable),
        (500, #"{"error":"something_new"}"#, .tokenUnavailable),
        (408, "", .tokenUnavailable), (425, "", .tokenUnavailable),
        (400, "", .credentialMisconfigured), (400, "<html>", .credentialMisconfigured),
        (401, "", .credentialMisconfigured), (403, "<html>", .credentialMisconfigured),
        (201, "", .tokenResponseMalformed), (204, "", .tokenResponseMalformed),
        (201, #"{"error":"invalid_grant"}"#, .reauthenticationRequired),
        (302, #"{"access_token":"t"}"#, .tokenResponseMalformed),
        (302, "", .tokenResponseMalformed), (404, "", .tokenResponseMalformed),
        (429, "", .tokenUnavailable), (500, "<html>", .tokenUnavailable), (503, "", .tokenUnavailable),
    ])
    func answersThatGrantNothing(status: Int, body: String, code: NetworkError.Code) async throws {
        let result = try await acquire(.status(status, body))
        #expect(result.code == code)
        if case .failure(let error) = result { #expect(error.status == status) }
    }

    @Test func retryAfterReachesTheCoordinator() async throws {
        let transport = ScriptedTransport(
            .status(503, fields: [.retryAfter: "17"]), .status(200, Self.good))
        let acquirer = ClientCredentials(endpoint: try endpoint(transport))
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer, policy: .impatient, clock: clock)
        let first = await outcome { () throws(NetworkError) in try await coordinator.token() }
        guard case .failure(let error) = first else { return }
        #expect(error.retryAfter == .seconds(17))
        clock.advance(by: .seconds(16))
        #expect(
            await outcome { () throws(NetworkError) in try await coordinator.token() }.code
                == .tokenUnavailable)
        clock.advance(by: .seconds(1))
        #expect(try await coordinator.token().generation == 1)
        #expect(transport.requests.count == 2)
    }

    @Test func a401FromTheTokenEndpointIsFinal() async throws {
        let token = ScriptedTransport(.status(401, #"{"error":"invalid_client"}"#))
        let api = ScriptedTransport(.status(401))
        let coordinator = TokenRefreshCoordinator(
            acquirer: ClientCredentials(endpoint: try endpoint(token)), policy: .impatient)
        // Even where the token endpoint lies within the scope.
        let engine = AuthenticatedRequestEngine(
            transport: api, coordinator: coordinator,
            scope: try CredentialScope(["https://api.example.com", "https://login.example.com"]))
        let request = try HTTPRequest(.get, "https://api.example.com/")
        for _ in 0..<10 {
            let result = await outcome { () throws(NetworkError) in try await engine.send(request) }
            #expect(result.code == .credentialMisconfigured)
        }
        #expect(token.requests.count == 1)
        #expect(api.requests.isEmpty)
    }

    // MARK: Refresh tokens

    @Test func refreshTokensRotateAndTheOldOneIsKeptWhereNoneComes() async throws {
        let transport = ScriptedTransport(
            .status(200, #"{"access_token":"a1","refresh_token":"r1","expires_in":60}"#),
            .status(200, #"{"access_token":"a2","expires_in":60}"#),
            .status(200, #"{"access_token":"a3","refresh_token":"r3","expires_in":60}"#),
            .status(200, #"{"access_token":"a4","refresh_token":"","expires_in":60}"#))
        let acquirer = RefreshTokenGrant(
            endpoint: try endpoint(transport, .publicClient(clientID: "app")), initial: Secret("r0"))
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer, policy: .impatient, clock: clock)
        var lease = try await coordinator.token()
        for _ in 0..<4 { lease = try await coordinator.rejected(lease) }
        let used = transport.requests.map { request in
            Self.body(request).split(separator: "&").first { $0.hasPrefix("refresh_token=") }.map(String.init)
        }
        #expect(used.map { $0?.dropFirst("refresh_token=".count) } == ["r0", "r1", "r1", "r3", "r3"])
    }

    /// Some servers write all members of their type with each grant.
    @Test func anEmptyErrorIsNone() async throws {
        let body = #"{"access_token":"t","refresh_token":"r","error":"","error_description":""}"#
        let grant = try await acquire(.status(200, body)).get()
        #expect(grant.accessToken == Secret("t") && grant.refreshToken == Secret("r"))
        guard case .failure(let error) = try await acquire(.status(200, #"{"error":""}"#)) else { return }
        #expect(error.message.contains("no usable access token") && !error.message.contains("refused"))
    }

    /// Servers and the proxies before them answer a grant with other statuses than 200.
    @Test(arguments: [200, 201, 202, 203, 206, 299])
    func aGrantOfAnySuccessIsUsed(status: Int) async throws {
        let transport = ScriptedTransport(
            .status(status, #"{"access_token":"a1","refresh_token":"r1","expires_in":60}"#),
            .status(200, #"{"access_token":"a2","expires_in":60}"#))
        let acquirer = RefreshTokenGrant(
            endpoint: try endpoint(transport, .publicClient(clientID: "app")), initial: Secret("r0"))
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer, policy: .impatient, clock: clock)
        let lease = try await coordinator.token()
        #expect(lease.accessToken == Secret("a1"))
        _ = try await coordinator.rejected(lease)
        // The refresh token that was spent is not sent again.
        #expect(transport.requests.map { Form($0)["refresh_token"] } == ["r0", "r1"])
    }

    /// What nobody reads may be as it is: the grant has spent the refresh token.
    @Test(arguments: [
        #""x":{"y":1,"y":2}"#, #""x":[{"y":{"z":1,"z":2}}]"#, #""x":"\ud800""#, #""x":"\udc00\ud800\u0041""#,
        #""x":\#(String(repeating: "[", count: 200))\#(String(repeating: "]", count: 200))"#,
        #""x":"\#(String(repeating: "y", count: 900_000))""#, #""token_type":"BearerToken""#,
        #""token_type":"bearer ""#,
    ])
    func aFaultInWhatNobodyReadsCostsNoGrant(member: String) async throws {
        let body = #"{\#(member),"access_token":"a1","refresh_token":"r1","expires_in":60}"#
        let grant = try await acquire(.status(200, body)).get()
        #expect(grant.accessToken == Secret("a1") && grant.refreshToken == Secret("r1"))
    }

    /// Readers would differ on which one counts.
    @Test func aTokenThatStandsTwiceIsNone() async throws {
        let body = #"{"access_token":"a1","access_token":"a2"}"#
        guard case .failure(let error) = try await acquire(.status(200, body)) else {
            Issue.record("one of them was used")
            return
        }
        #expect(error.code == .tokenResponseMalformed)
    }

    @Test func withoutARefreshTokenSomebodyMustSignIn() async throws {
        let transport = ScriptedTransport(.status(200, Self.good))
        let result = await acquire(RefreshTokenGrant(endpoint: try endpoint(transport)))
        #expect(result.code == .reauthenticationRequired)
        #expect(transport.requests.isEmpty)
    }

    @Test func aLostAnswerIsToldApart() async throws {
        let lost = NetworkError(.connectionLost, "lost", mayHaveBeenSent: true)
        let refused = NetworkError(.connectionRefused, "refused")
        for (error, code) in [(lost, NetworkError.Code.tokenOutcomeUnknown), (refused, .tokenUnavailable)] {
            let transport = ScriptedTransport(.failure(error))
            let acquirer = RefreshTokenGrant(endpoint: try endpoint(transport), initial: Secret("r"))
            #expect(await acquire(acquirer).code == code)
            #expect(transport.requests.count == 1)
        }
        #expect(try await acquire(.failure(lost)).code == .tokenUnavailable)
    }
}
