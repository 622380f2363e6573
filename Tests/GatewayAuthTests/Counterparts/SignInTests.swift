import GatewayAuth
import GatewayClient
import GatewayCore
import GatewayCurl
import GatewayJSON
import GatewayTesting
import TestTiers
import Testing

/// Sign-in by a device at Authlib and by a browser at Django OAuth Toolkit, discovery, and introspection.
@Suite(.timeLimit(.minutes(2))) struct SignInTests {
    private static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

    private func authlib(_ grants: [String]) async throws -> CounterpartClient {
        try await CounterpartClient(
            TokenCounterparts.authlib, methods: ["client_secret_basic", "none"], grants: grants)
    }

    private func django(_ grant: String = "refresh_token") async throws -> CounterpartClient {
        try await CounterpartClient(TokenCounterparts.django, paths: .django, methods: [], grants: [grant])
    }

    // MARK: Devices

    private func answer(_ prompt: DeviceAuthorization.Prompt, isApproved: Bool) async throws {
        let server = TokenCounterparts.authlib ?? ""
        #expect(prompt.verificationURI == server + "/device")
        #expect(prompt.verificationURIComplete == server + "/device?user_code=" + prompt.userCode)
        _ = try await TokenCounterparts.ask(
            "\(server)/control/device/\(prompt.userCode)", ["approved": .bool(isApproved)])
    }

    @Test(.needsAuthlib, .covers(.authlib, .deviceCode)) func aDeviceIsLetIn() async throws {
        let client = try await authlib([Self.deviceGrant, "refresh_token"])
        let endpoint = try client.endpoint(.publicClient(clientID: client.id), clock: JumpingClock())
        let key = endpoint.key(scopes: ["read"])
        let grant = try await DeviceAuthorization(endpoint: endpoint).grant(
            for: key, deadline: .after(.seconds(60))
        ) { try await answer($0, isApproved: true) }
        NotingAcquirer.note(grant)
        #expect(grant.scopes == ["read"] && grant.refreshToken != nil)
        let stack = try client.stack(RefreshTokenGrant(endpoint: endpoint), key: key, grant: grant)
        #expect(try await stack.get("/api/x").status == 200)
        try await client.expire()
        #expect(try await stack.get("/api/x").exchange.attempts == 2)
        #expect(try await client.counts() == .init(requests: 2, granted: 2))
    }

    /// The token endpoint is not polled more often than the server's interval.
    @Test(.needsAuthlib, .realTime("the server counts the time between two polls"))
    func aDeviceAsksAsOftenAsItMay() async throws {
        let client = try await authlib([Self.deviceGrant])
        let (answers, continuation) = AsyncStream<Void>.makeStream()
        let endpoint = try client.endpoint(
            .publicClient(clientID: client.id), transport: AnswerWatch { continuation.yield() })
        let (prompts, prompted) = AsyncStream<DeviceAuthorization.Prompt>.makeStream()
        let grant = Task {
            try await DeviceAuthorization(endpoint: endpoint).grant(
                for: endpoint.key(scopes: ["read"]), deadline: .after(.seconds(60))
            ) { prompted.yield($0) }
        }
        // The codes, and two polls.
        for await _ in answers.prefix(3) {}
        for await prompt in prompts.prefix(1) { try await answer(prompt, isApproved: true) }
        NotingAcquirer.note(try await grant.value)
        #expect(try await client.requests() >= 3)
        #expect(try await client.granted() == 1)
        #expect(try await client.statistic("hurried") == 0)
    }

    @Test(.needsAuthlib) func aDeviceIsDenied() async throws {
        let client = try await authlib([Self.deviceGrant])
        let endpoint = try client.endpoint(.publicClient(clientID: client.id), clock: JumpingClock())
        let error = await #expect(throws: NetworkError.self) {
            try await DeviceAuthorization(endpoint: endpoint).grant(
                for: endpoint.key(), deadline: .after(.seconds(60))
            ) { try await answer($0, isApproved: false) }
        }
        #expect(error?.code == .authorizationDenied)
        #expect(try await client.counts() == .init(requests: 1, granted: 0))
    }

    // MARK: Browsers

    private func discovery(_ client: CounterpartClient) throws -> AuthorizationServerDiscovery {
        try AuthorizationServerDiscovery(issuer: client.server + "/o", transport: CurlTransport())
    }

    /// Only the issuer is configured.
    @Test(.needsDjango, .covers(.django, .authorizationCode)) func somebodySignsInByABrowser() async throws {
        let client = try await django()
        let metadata = try await discovery(client).metadata()
        #expect(metadata.namesIssuerInResponses && metadata.challengeMethods?.contains("S256") == true)
        let endpoint = try TokenEndpoint(metadata, client: client.basic, transport: CurlTransport())
        let key = endpoint.key(scopes: ["read"])
        let flow = try AuthorizationCode(endpoint: endpoint, metadata: metadata)
        let grant = try await flow.grant(for: key, deadline: .after(.seconds(60)), open: browse)
        NotingAcquirer.note(grant)
        let stack = try client.stack(RefreshTokenGrant(endpoint: endpoint), key: key, grant: grant)
        #expect(try await stack.get("/api/x").status == 200)
        try await client.expire()
        #expect(try await stack.get("/api/x").exchange.attempts == 2)
        #expect(try await client.counts() == .init(requests: 2, granted: 2))
    }

    /// A simulated browser: it opens the page and follows its redirect.
    private func browse(_ url: String) async throws {
        let answer = try await TokenCounterparts.send(try HTTPRequest(.get, url))
        let place = try #require(answer.fields[.location], "status \(answer.status)")
        #expect(place.hasPrefix("http://127.0.0.1:"))
        #expect(try await TokenCounterparts.send(try HTTPRequest(.get, place)).status == 200)
    }

    @Test(.needsDjango) func aServerThatGoesByAnotherNameIsNotBelieved() async throws {
        let client = try await django()
        let endpoint = try client.endpoint(client.basic)
        let flow = try AuthorizationCode(
            endpoint: endpoint, authorizationURL: client.server + "/o/authorize/",
            issuer: client.server + "/other", requiresIssuer: true)
        await #expect(throws: NetworkError.self) {
            try await flow.grant(for: endpoint.key(), deadline: .after(.seconds(60)), open: browse)
        }
        #expect(try await client.requests() == 0)
        // The metadata of another issuer is refused.
        let other = try AuthorizationServerDiscovery(
            issuer: client.server + "/o/", transport: CurlTransport())
        let error = await #expect(throws: NetworkError.self) { try await other.metadata() }
        #expect(error?.code == .credentialMisconfigured)
    }

    // MARK: Discovery and introspection

    @Test(.needsDjango, .covers(.django, .discovery)) func aServerTellsWhereItsEndpointsAre() async throws {
        let client = try await django("client_credentials")
        let metadata = try await discovery(client).metadata()
        #expect(try metadata.url(of: .token) == client.server + "/o/token/")
        #expect(try metadata.url(of: .revocation) == client.server + "/o/revoke_token/")
        #expect(try metadata.url(of: .introspection) == client.server + "/o/introspect/")
        let acquirer = DiscoveredTokenAcquirer(try discovery(client)) {
            ClientCredentials(
                endpoint: try TokenEndpoint($0, client: client.post, transport: CurlTransport()))
        }
        let stack = try client.stack(acquirer, key: TokenKey(client: client.id, scopes: ["read"]))
        #expect(try await stack.get("/api/x").status == 200)
        try await client.expire()
        #expect(try await stack.get("/api/x").exchange.attempts == 2)
    }

    @Test(.needsAuthlib, .covers(.authlib, .introspection)) func authlibTellsOfTokens() async throws {
        try await tokensAreToldOf(try await authlib(["refresh_token"]))
    }

    @Test(.needsDjango, .covers(.django, .introspection)) func djangoTellsOfTokens() async throws {
        try await tokensAreToldOf(try await django())
    }

    private func tokensAreToldOf(_ client: CounterpartClient) async throws {
        let endpoint = try client.endpoint(client.basic)
        let grant = try await client.signIn()
        let deadline = Deadline.after(.seconds(30))
        let good = try await endpoint.introspect(
            grant.accessToken, hint: "access_token", deadline: deadline)
        #expect(good.isActive && good.members["client_id"]?.string == client.id)
        #expect(Set(good.scopes) == ["read", "write"])
        #expect(good.members["username"]?.string == "person")
        let end = try #require(good.members["exp"]?.int)
        #expect((3500...3610).contains(end - TokenCounterparts.now))
        try await endpoint.revoke(grant, deadline: deadline)
        for token in [grant.accessToken, Secret("nobody's")] {
            let bad = try await endpoint.introspect(token, deadline: deadline)
            #expect(!bad.isActive && bad.members.isEmpty)
        }
        // A client with a wrong secret is refused.
        let stranger = try client.endpoint(.basic(clientID: client.id, secret: Secret("wrong")))
        await #expect(throws: NetworkError.self) {
            try await stranger.introspect(grant.accessToken, deadline: deadline)
        }
    }
}

/// Calls back on each response.
private final class AnswerWatch: Transport {
    private let transport = CurlTransport()
    private let onAnswer: @Sendable () -> Void

    init(onAnswer: @escaping @Sendable () -> Void) { self.onAnswer = onAnswer }

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        let response = try await transport.send(request, context: context)
        onAnswer()
        return response
    }
}
