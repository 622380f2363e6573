import GatewayAuth
import GatewayClient
import GatewayCore
import GatewayOfflineQueue
import GatewayTesting
import Testing

/// A credential that is described once has the same tokens in an engine, its clients, its streams and its queue.
@Suite(.timeLimit(.minutes(1))) struct OneCredentialTests {
    private static let tokenURL = "https://auth.depot.example/token"
    private static let api = "https://api.depot.example"
    private let server = DepotServer()

    private func credential() -> OAuthCredential {
        .clientCredentials(id: "me", secret: "s", tokenURL: Self.tokenURL).scopes(.exactly(["read"]))
    }

    private func engine(
        _ credential: OAuthCredential, for origin: String = OneCredentialTests.api
    ) throws -> GatewayEngine {
        let authentication = try GatewayConfiguration.Authentication(credential, origins: [origin])
        return server.engine { $0.authentication = authentication }
    }

    /// Stores a request and sends it.
    private func deliver(
        over engine: GatewayEngine, _ credential: (any CredentialSource)? = nil
    ) async throws {
        var settings = OfflineQueueEngine.Configuration()
        settings.credential = credential
        let queue = try await OfflineQueueEngine(
            store: MemoryQueueStore(), engine: engine, configuration: settings)
        await queue.start()
        let request = try HTTPRequest(.post, "\(Self.api)/orders", body: .text("{}"))
        #expect(try await queue.enqueue(QueueRequest(request)).outcome().isDone)
        await queue.stop(within: .zero)
    }

    // MARK: The engine's credential

    /// auth.one-credential
    @Test func anEngineServesItsClientsItsStreamsAndItsQueue() async throws {
        let engine = try engine(credential())
        let (first, second) = (DepotClient(engine: engine), DepotClient(engine: engine))
        try await first.read()
        try await second.identity()
        try await second.partner()
        let request = try HTTPRequest(.get, "\(Self.api)/calls")
        _ = try await engine.send(request)
        _ = try await engine.stream(request).status
        try await deliver(over: engine)
        #expect(server.tokenURLs == [Self.tokenURL])
        #expect(server.authorizations == Array(repeating: "Bearer read/1", count: 6))
    }

    @Test func aRevokedTokenIsReplacedOnceForAllClients() async throws {
        let engine = try engine(credential())
        try await DepotClient(engine: engine).read()
        server.revoke("read")
        try await DepotClient(engine: engine).read()
        try await DepotClient(engine: engine).identity()
        #expect(server.tokenForms.count == 2)
        #expect(server.authorizations.suffix(2) == ["Bearer read/3", "Bearer read/3"])
    }

    @Test func theCredentialOfAClientTakesPrecedence() async throws {
        let engine = try engine(credential())
        try await DepotClient(credentials: .init(depotAuth: .token("mine")), engine: engine).read()
        #expect(server.authorizations == ["Bearer mine"] && server.tokenForms.isEmpty)
        // The first alternative that the client has needs no token.
        try await DepotClient(credentials: .init(headerKey: "k"), engine: engine).any()
        #expect(server.calls.last?.fields[.authorization] == nil && server.tokenForms.isEmpty)
        #expect(server.calls.count == 2)
    }

    @Test func aKeyOfTheClientIsSentWithIt() async throws {
        let api = DepotClient(credentials: .init(headerKey: "k"), engine: try engine(credential()))
        try await api.both()
        server.revoke("read")
        try await api.both()
        #expect(server.authorizations.last == "Bearer read/3")
        #expect(server.calls.allSatisfy { $0.fields["X-Depot-Key"] == "k" })
        #expect(server.tokenForms.count == 2)
        let without = DepotClient(engine: try engine(credential()))
        #expect(await failure { try await without.both() }?.code == .credentialMissing)
    }

    /// auth.no-credential: `security: []`, and alternatives that the engine's credential is not for.
    @Test func anOperationWithoutSecurityGetsNone() async throws {
        let api = DepotClient(engine: try engine(credential()))
        try await api.open()
        #expect(server.authorizations == [nil] && server.tokenForms.isEmpty)
        // Optional: the engine has a credential for one of the alternatives.
        try await api.optional()
        #expect(server.authorizations.last == "Bearer read/1")
        try await api.open()
        #expect(server.authorizations.count == 3 && server.authorizations.last == .some(nil))
    }

    /// auth.no-credential: also if a queue sends it, with a credential of its own or of its engine.
    @Test(arguments: [false, true])
    func aQueuedOperationWithoutSecurityGetsNone(hasOwn: Bool) async throws {
        let credential = credential()
        let engine = hasOwn ? server.engine() : try engine(credential)
        var settings = OfflineQueueEngine.Configuration()
        if hasOwn { settings.credential = try credential.credentials(for: [Self.api], engine: engine) }
        let queue = try await OfflineQueueEngine(
            store: MemoryQueueStore(), engine: engine, configuration: settings)
        await queue.start()
        let api = DepotClient(engine: engine)
        let calls = [
            try await PreparedCall { try await api.open() },
            try await PreparedCall { try await api.certified() },
            try await PreparedCall { try await api.optional() },
            try await PreparedCall { try await api.read() },
        ]
        #expect(calls.map(\.isAnonymous) == [true, true, false, false])
        for call in calls {
            // Nothing of the call can be changed.
            let ticket = try await queue.enqueue(call) { if call.isAnonymous { $0.isAnonymous = false } }
            #expect(try await ticket.ticket.outcome().isDone)
        }
        #expect(server.authorizations == [nil, nil, "Bearer read/1", "Bearer read/1"])
        // By a program that has no queue.
        var context = RequestContext(operation: calls[0].operation)
        context.isAnonymous = calls[0].isAnonymous
        #expect(try await engine.send(calls[0].request, context: context).status < 300)
        #expect(server.authorizations.count == 5 && server.authorizations.last == .some(nil))
        await queue.stop(within: .zero)
    }

    /// auth.credential-origins
    @Test func otherOriginsGetNone() async throws {
        let engine = try engine(credential(), for: "https://other.example")
        let error = await failure { try await DepotClient(engine: engine).read() }
        #expect(error?.code == .credentialMissing)
        #expect(
            error?.message.contains(
                "The engine's credential is for https://other.example, not for https://api.depot.example.")
                == true)
        // An operation with a server of its own gets none, even if the security options list it.
        let credentials = DepotClient.Credentials(options: .init(origins: ["https://files.depot.example"]))
        let api = DepotClient(
            server: .init(url: Self.api, everywhere: false), credentials: credentials,
            engine: try self.engine(credential()))
        #expect(await failure { try await api.files() }?.code == .credentialMissing)
        #expect(server.calls.isEmpty && server.tokenForms.isEmpty)
        try await api.read()
        #expect(server.calls.map(\.origin.host) == ["api.depot.example"])
    }

    // MARK: The same value in several places

    /// auth.one-credential
    @Test func clientsAndQueuesOfSeparateEnginesShareItsToken() async throws {
        let credential = credential()
        try await server.api(.init(depotAuth: credential)).read()
        try await server.api(.init(depotLogin: credential)).identity()
        _ = try await engine(credential).send(try HTTPRequest(.get, "\(Self.api)/calls"))
        let plain = server.engine()
        try await deliver(over: plain, try credential.credentials(for: [Self.api], engine: plain))
        #expect(server.tokenURLs == [Self.tokenURL])
        #expect(server.authorizations == Array(repeating: "Bearer read/1", count: 4))
    }

    @Test func theDocumentOfItsFirstClientHasItsEndpoints() async throws {
        let credential = OAuthCredential.clientCredentials(id: "me", secret: "s").scopes(.ofDocument)
        let api = server.api(.init(depotAuth: credential))
        let plain = server.engine()
        try await deliver(over: plain, try credential.credentials(for: [Self.api], engine: plain))
        _ = try await engine(credential).send(try HTTPRequest(.get, "\(Self.api)/calls"))
        try await api.read()
        #expect(server.tokenURLs == [Self.tokenURL])
        #expect(Set(server.authorizations) == ["Bearer audit+read+write/1"])
    }

    /// auth.one-credential: the engine and the queue are made first, and used first.
    @Test(arguments: [false, true]) func theScopesOfADocumentDoNotDependOnTheOrder(warmsUp: Bool) async throws
    {
        let credential = OAuthCredential.clientCredentials(
            id: "me", secret: "s", tokenURL: Self.tokenURL
        ).scopes(.ofDocument)
        let engine = try engine(credential)
        let plain = server.engine()
        let source = try credential.credentials(for: [Self.api], engine: plain)
        let api = server.api(.init(depotAuth: credential))
        if warmsUp { try await engine.warmUp() }
        _ = try await engine.send(try HTTPRequest(.get, "\(Self.api)/calls"))
        try await deliver(over: plain, source)
        try await api.read()
        #expect(server.tokenURLs == [Self.tokenURL])
        #expect(Set(server.authorizations) == ["Bearer audit+read+write/1"])
    }

    @Test func aLoginServesAnEngine() async throws {
        let login = OAuthLogin(clientID: "app")
        let api = DepotClient(engine: try engine(.login(login).at(tokenURL: Self.tokenURL)))
        #expect(await failure { try await api.read() }?.code == .reauthenticationRequired)
        server.revoke("read")
        try login.signIn(with: TokenGrant(accessToken: Secret("read/1")))
        try await api.read()
        try login.signOut()
        #expect(await failure { try await api.read() }?.code == .signedOut)
        #expect(server.authorizations == ["Bearer read/1"])
    }

    // MARK: Before the first call

    /// warm-up.tokens: one token for each set of scopes that the client has a credential for.
    @Test func aClientGetsItsTokensBeforeTheFirstCall() async throws {
        let credential = OAuthCredential.clientCredentials(id: "me", secret: "s", tokenURL: Self.tokenURL)
        let api = server.api(.init(depotAuth: credential))
        for _ in 0..<2 { try await api.warmUp(within: .seconds(30)) }
        #expect(server.calls.isEmpty && server.tokenForms.count == 2)
        #expect(Set(server.tokenForms.map { $0["scope"] }) == ["read", "write"])
        try await api.read()
        #expect(server.tokenForms.count == 2)
        try await DepotClient(engine: server.engine()).warmUp(within: .seconds(30))
        #expect(server.tokenForms.count == 2)
    }

    @Test func aWarmUpThatFailsSaysWhy() async throws {
        let server = BookshopClient.Server(url: "no-scheme.example")
        let error = await failure { try await BookshopClient(server: server).warmUp(within: .seconds(30)) }
        #expect(error?.code == .invalidURL)
    }

    // MARK: What is wrong

    /// auth.not-shared: each call succeeds, and the mistake is one event.
    @Test func aClientForEachCallIsReportedOnce() async throws {
        let recorder = EventRecorder()
        let engine = server.engine { $0.events = recorder }
        for _ in 0..<500 {
            let anew = OAuthCredential.clientCredentials(
                id: "anew-for-each-call", secret: "s", tokenURL: Self.tokenURL
            ).scopes(.exactly(["read"]))
            try await DepotClient(credentials: .init(depotAuth: anew), engine: engine).read()
        }
        #expect(server.tokenForms.count == 500 && server.calls.count == 500)
        let reports = recorder.tokenEvents.filter { event in
            if case .notShared = event.kind { true } else { false }
        }
        #expect(reports.count == 1)
    }

    @Test func withoutAnEndpointNoEngineIsMade() throws {
        var configuration = GatewayConfiguration()
        configuration.authentication = try .init(
            .clientCredentials(id: "me", secret: "s"), origins: [Self.api])
        let error = #expect(throws: NetworkError.self) { try configuration.makeEngine() }
        #expect(error?.code == .credentialMisconfigured)
        #expect(error?.message.contains("no token endpoint. Set it by `at(tokenURL:)`") == true)
    }

    @Test func withoutAnOriginNoCallWouldHaveIt() throws {
        var error = #expect(throws: NetworkError.self) {
            try GatewayConfiguration.Authentication(credential(), origins: [])
        }
        #expect(error?.code == .misconfigured && error?.message.contains("'origins'") == true)
        let engine = server.engine()
        error = #expect(throws: NetworkError.self) { try credential().credentials(for: [], engine: engine) }
        #expect(error?.code == .misconfigured)
    }

    @Test func plainHTTPIsRefused() async throws {
        var configuration = GatewayConfiguration()
        configuration.authentication = try .init(credential(), origins: ["http://api.depot.example"])
        var error = #expect(throws: NetworkError.self) { try configuration.makeEngine() }
        #expect(error?.code == .insecureOrigin)
        configuration.authentication = try .init(
            credential().at(tokenURL: "http://auth.depot.example/token"), origins: [Self.api])
        error = #expect(throws: NetworkError.self) { try configuration.makeEngine() }
        #expect(error?.code == .insecureOrigin)
        #expect(throws: NetworkError.self) {
            try GatewayConfiguration.Authentication(credential(), origins: ["api.depot.example"])
        }
    }

    @Test func aTokenThatIsMeantForOthersServesNoEngine() throws {
        var configuration = GatewayConfiguration()
        let tokens = TokenRefreshCoordinator(provider: StaticTokenProvider(Secret("t")))
        configuration.authentication = try .init(
            .coordinator(tokens, origins: [try Origin("https://other.example")]), origins: [Self.api])
        let error = #expect(throws: NetworkError.self) { try configuration.makeEngine() }
        #expect(error?.code == .credentialMissing)
    }
}
