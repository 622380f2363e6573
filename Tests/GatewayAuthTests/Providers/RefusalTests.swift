import GatewayCore
import GatewayCurl
import GatewayTesting
import Testing

@testable import GatewayAuth

/// What an error says when an authorization server refuses something.
@Suite(.timeLimit(.minutes(1))) struct RefusalTests {
    private static let refreshToken = "r3fr3sh-t0k3n-0123456789"
    private static let secret = "cl13nt-s3cr3t-0123456789"
    private static let assertion = "a553rt10n.0123456789.abcdef"

    private let clock = ManualClock()

    private func endpoint(
        _ transport: any Transport,
        _ client: ClientAuthentication = .basic(clientID: "app", secret: Secret(secret))
    ) throws -> TokenEndpoint {
        try TokenEndpoint(
            "https://login.example.com/token", client: client,
            others: TokenEndpoint.Others(
                revocationURL: "https://login.example.com/revoke",
                introspectionURL: "https://login.example.com/introspect",
                deviceAuthorizationURL: "https://login.example.com/device"),
            transport: transport, clock: clock)
    }

    private func failure(_ body: () async throws -> Void) async throws -> NetworkError {
        do { try await body() } catch { return NetworkError(wrapping: error) }
        throw NetworkError(.other, "There was no failure.")
    }

    private func acquire(_ acquirer: any TokenAcquirer) async throws -> NetworkError {
        let request = TokenRequest(
            key: TokenKey(scopes: ["read"]), previous: nil, previousWasRejected: false,
            deadline: .after(.seconds(30), clock: clock))
        return try await failure { _ = try await acquirer.acquire(request) }
    }

    private func refresh(_ reply: ScriptedTransport.Reply) async throws -> NetworkError {
        let endpoint = try endpoint(ScriptedTransport(reply))
        return try await acquire(RefreshTokenGrant(endpoint: endpoint, initial: Secret(Self.refreshToken)))
    }

    private func client(_ reply: ScriptedTransport.Reply) async throws -> NetworkError {
        try await acquire(ClientCredentials(endpoint: try endpoint(ScriptedTransport(reply))))
    }

    // MARK: Texts

    @Test func theServersWordsAreShown() async throws {
        let revoked = #"{"error":"invalid_grant","error_description":"Token is revoked"}"#
        #expect(
            try await refresh(.status(400, revoked)).message
                == #"The token endpoint refused the grant: invalid_grant ("Token is revoked"). Sign in again."#
        )
        let scope =
            #"{"error":"scope_invalid","error_description":"No\u001b[31m such \"scope\"","error_uri":"x:y"}"#
        let error = try await client(.status(400, scope))
        #expect(error.message.contains(#"refused the request: scope_invalid ("No?[31m such 'scope'")"#))
        #expect(!error.message.contains("x:y"))
        #expect(!error.code.isTransient)
        let down = #"{"error":"temporarily_unavailable","error_description":"Back at noon"}"#
        let outage = try await client(.status(503, down))
        #expect(outage.message.contains(#"temporarily_unavailable ("Back at noon")"#))
        #expect(outage.message.hasPrefix("The token service is unavailable"))
    }

    @Test(arguments: [
        ("invalid_client", "`ClientAuthentication`"), ("invalid_scope", "`scopes`"),
        ("invalid_target", "`audiences`"), ("unsupported_grant_type", "grant type"),
        ("unauthorized_client", "grant type"), ("invalid_dpop_proof", "`DPoPBinding`"),
    ])
    func theHintNamesWhatToChange(code: String, hint: String) async throws {
        let error = try await client(.status(400, #"{"error":"\#(code)"}"#))
        #expect(error.code == .credentialMisconfigured)
        #expect(error.message.contains(hint) && error.message.contains(code))
    }

    @Test func everyEndpointIsNamed() async throws {
        let refusal = ScriptedTransport.Reply.status(
            400, #"{"error":"invalid_client","error_description":"Go away"}"#)
        let deadline = Deadline.after(.seconds(30), clock: clock)
        let grant = TokenGrant(accessToken: Secret("access"))
        let endpoint = try endpoint(ScriptedTransport(refusal, refusal, refusal))
        let errors = [
            try await failure { try await endpoint.revoke(grant, deadline: deadline) },
            try await failure { _ = try await endpoint.introspect(Secret("access"), deadline: deadline) },
            try await failure {
                _ = try await DeviceAuthorization(endpoint: endpoint).grant(for: .default) { _ in }
            },
        ]
        let names = ["revocation endpoint", "introspection endpoint", "device authorization endpoint"]
        for (error, name) in zip(errors, names) {
            #expect(error.message.contains("The \(name) refused the client: invalid_client (\"Go away\")"))
        }
    }

    // MARK: Statuses without a reason

    /// glewlwyd answers a dead refresh token with an empty 400.
    @Test(arguments: [
        (400, NetworkError.Code.reauthenticationRequired, NetworkError.Code.credentialMisconfigured),
        (401, .credentialMisconfigured, .credentialMisconfigured),
        (403, .reauthenticationRequired, .credentialMisconfigured),
        (404, .tokenResponseMalformed, .tokenResponseMalformed),
    ])
    func theStatusDecides(
        status: Int, refreshing: NetworkError.Code, asClient: NetworkError.Code
    ) async throws {
        for body in ["", "<html>Forbidden</html>", "{}"] {
            let (refresh, client) = (
                try await refresh(.status(status, body)), try await client(.status(status, body))
            )
            #expect(refresh.code == refreshing && client.code == asClient)
            #expect(!refresh.code.isTransient && !client.code.isTransient)
            #expect(refresh.message.contains("\(status)") && !refresh.message.contains("Forbidden"))
            if refreshing == .reauthenticationRequired { #expect(refresh.message.contains("Sign in again")) }
        }
    }

    /// A refusal without a registered code may be a proxy's, and does not end the credential.
    @Test(
        arguments: [
            (400, "<html>", 2), (401, "", 2), (403, "<html>", 2), (404, #"{"error":"Not Found"}"#, 2),
            (400, #"{"error":"scope_invalid"}"#, 2), (400, #"{"error":"invalid_request"}"#, 1),
            (400, #"{"error":"invalid_grant"}"#, 1),
        ])
    func whatAProxyMayAnswerIsAskedForAgain(status: Int, body: String, requests: Int) async throws {
        let transport = ScriptedTransport(.status(status, body), .status(200, #"{"access_token":"t"}"#))
        let acquirer = RefreshTokenGrant(
            endpoint: try endpoint(transport), initial: Secret(Self.refreshToken))
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer, clock: clock)
        for _ in 0..<2 {
            let result = await outcome { () throws(NetworkError) in try await coordinator.token() }
            #expect(result.code != nil)
        }
        clock.advance(by: .seconds(60))
        let later = await outcome { () throws(NetworkError) in try await coordinator.token() }
        #expect((later.value != nil) == (requests == 2))
        #expect(transport.requests.count == requests)
    }

    @Test func aServerThatGivesNoReasonAsksForASignIn() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        let transport = CurlTransport(configuration: CurlConfiguration())
        let token = try gateway.signIn().refreshToken
        for reply in [EmbeddedGateway.Reply(status: 400), .text("<html>Forbidden</html>", status: 403)] {
            gateway.inject(.reply(reply), into: .token, times: 1)
            let endpoint = try TokenEndpoint(
                gateway.tokenURL, client: .basic(clientID: gateway.client.id, secret: gateway.client.secret),
                transport: transport)
            let error = try await acquire(RefreshTokenGrant(endpoint: endpoint, initial: token))
            #expect(error.code == .reauthenticationRequired)
        }
        await transport.shutdown()
    }

    // MARK: Secrecy

    private static func leaks(_ error: NetworkError) -> Bool {
        var text = "\(error) \(error.message) " + String(reflecting: error)
        dump(error, to: &text)
        if let cause = error.underlying {
            text += "\(cause)" + String(reflecting: cause)
            dump(cause, to: &text)
        }
        return [refreshToken, secret, assertion, "r3fr3sh", "cl13nt", "a553rt10n", "p455w0rd", "c0d3"]
            .contains {
                text.contains($0)
            }
    }

    @Test(arguments: ["invalid_grant", "invalid_client", "invalid_scope", "temporarily_unavailable", "other"])
    func whatTheServerRepeatsIsNotShown(code: String) async throws {
        let clients: [ClientAuthentication] = [
            .basic(clientID: "app", secret: Secret(Self.secret)),
            .post(clientID: "app", secret: Secret(Self.secret)),
            .assertion(clientID: "app", from: .fixed(Secret(Self.assertion))),
        ]
        let deadline = Deadline.after(.seconds(30), clock: clock)
        for client in clients {
            let endpoint = try endpoint(
                ScriptedTransport { request, _ in
                    let echo = request.fields[.authorization] == nil ? "" : Self.secret
                    let body = String(decoding: request.body.bytes ?? [], as: UTF8.self)
                    return .status(
                        400, #"{"error":"\#(code)","error_description":"You sent \#(body)\#(echo)"}"#)
                }, client)
            let errors = [
                try await acquire(
                    RefreshTokenGrant(endpoint: endpoint, initial: Secret(Self.refreshToken))),
                try await acquire(ClientCredentials(endpoint: endpoint)),
                try await acquire(
                    JWTBearerGrant(endpoint: endpoint, assertion: .fixed(Secret(Self.assertion)))),
                try await acquire(
                    TokenExchange(
                        endpoint: endpoint, subject: TokenExchange.Token(.fixed(Secret(Self.assertion))))),
                try await failure {
                    _ = try await endpoint.grant(
                        [("grant_type", "password"), ("username", "bob"), ("password", "p455w0rd-0123")],
                        deadline: deadline)
                },
                try await failure {
                    _ = try await endpoint.grant(
                        [("grant_type", "authorization_code"), ("code", "c0d3-0123456789")], spends: true,
                        deadline: deadline)
                },
                try await failure {
                    try await endpoint.revoke(
                        TokenGrant(accessToken: Secret(Self.refreshToken)), deadline: deadline)
                },
                try await failure {
                    _ = try await endpoint.introspect(Secret(Self.refreshToken), deadline: deadline)
                },
            ]
            for error in errors {
                #expect(!Self.leaks(error))
                #expect(error.message.contains(code), "the code itself is shown")
            }
        }
    }

    /// A refusal may hold what the server has issued.
    @Test func whatAServerIssuesIsNotShown() async throws {
        let body =
            #"{"error":"other","access_token":"c0d3-0123456789","error_description":"c0d3-0123456789"}"#
        #expect(!Self.leaks(try await client(.status(200, body))))
    }
}
