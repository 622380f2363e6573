import GatewayAuth
import GatewayCore
import GatewayTesting
import Testing

/// The client's style of authentication is configured and never tried out: a request that fails for it may have spent
/// the refresh token.
@Suite(.timeLimit(.minutes(1))) struct ClientStyleTests {
    private static let styles:
        [(client: ClientAuthentication, hasField: Bool, hasSecret: Bool, hasID: Bool)] =
            [
                (.basic(clientID: "app", secret: Secret("hush")), true, false, false),
                (.post(clientID: "app", secret: Secret("hush")), false, true, true),
                (.publicClient(clientID: "app"), false, false, true),
                (.assertion(clientID: "app", from: .fixed(Secret("a.b.c"))), false, false, true),
            ]

    @Test(arguments: styles.indices, [400, 401])
    func aRefusedStyleIsNotFollowedByAnother(index: Int, status: Int) async throws {
        let style = Self.styles[index]
        let clock = ManualClock()
        let login = ScriptedTransport(
            .status(
                status, fields: [.wwwAuthenticate: "Basic realm=\"tokens\""], #"{"error":"invalid_client"}"#))
        let endpoint = try TokenEndpoint(
            "https://login.example.com/token", client: style.client, transport: login, clock: clock)
        let coordinator = TokenRefreshCoordinator(
            acquirer: RefreshTokenGrant(endpoint: endpoint, initial: Secret("r0")), clock: clock)
        for _ in 0..<10 {
            let result = await outcome { () throws(NetworkError) in try await coordinator.token() }
            #expect(result.code == .credentialMisconfigured)
            clock.advance(by: .seconds(3600))
        }
        #expect(login.requests.count == 1)
        for request in login.requests {
            let body = String(decoding: request.body.bytes ?? [], as: UTF8.self)
            #expect(request.fields.contains(.authorization) == style.hasField)
            #expect(body.contains("client_secret=hush") == style.hasSecret)
            #expect(body.contains("client_id=app") == style.hasID)
        }
    }

    private static let empty: [ClientAuthentication] = [
        .basic(clientID: "", secret: Secret("hush")), .basic(clientID: "app", secret: Secret("")),
        .post(clientID: "", secret: Secret("hush")), .post(clientID: "app", secret: Secret("")),
        .publicClient(clientID: ""), .mutualTLS(clientID: ""),
        .assertion(clientID: "", from: .fixed(Secret("a.b.c"))),
        .assertion(clientID: "app", from: .fixed(Secret(""))),
        .basic(clientID: "app", secret: .function { Secret("") }),
    ]

    @Test(arguments: empty.indices) func anEmptyIdentifierOrSecretIsNotSent(index: Int) async throws {
        let login = ScriptedTransport(.status(200, #"{"access_token":"t"}"#))
        let endpoint = try TokenEndpoint(
            "https://login.example.com/token", client: Self.empty[index], transport: login)
        let acquirers: [any TokenAcquirer] = [
            ClientCredentials(endpoint: endpoint),
            RefreshTokenGrant(endpoint: endpoint, initial: Secret("r0")),
        ]
        for acquirer in acquirers {
            let coordinator = TokenRefreshCoordinator(acquirer: acquirer)
            let result = await outcome { () throws(NetworkError) in try await coordinator.token() }
            #expect(result.code == .credentialMisconfigured)
        }
        #expect(login.requests.isEmpty)
    }

    @Test func anEmptyRefreshTokenIsNotSent() async throws {
        let login = ScriptedTransport(.status(200, #"{"access_token":"t"}"#))
        let endpoint = try TokenEndpoint(
            "https://login.example.com/token", client: .publicClient(clientID: "app"), transport: login)
        let coordinator = TokenRefreshCoordinator(
            acquirer: RefreshTokenGrant(endpoint: endpoint, initial: Secret("")))
        let result = await outcome { () throws(NetworkError) in try await coordinator.token() }
        #expect(result.code == .credentialMisconfigured)
        #expect(login.requests.isEmpty)
    }
}
