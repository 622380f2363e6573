import Foundation
import GatewayClient
import GatewayTesting
import Testing

/// Programs with a user interface make calls on the main actor: each public closure parameter is given one there.
///
/// Closures that run on the caller's actor use its state as they are. Asynchronous ones that run elsewhere say `@MainActor`.
/// Synchronous ones that run elsewhere cannot use its state.
@MainActor @Suite(.timeLimit(.minutes(1))) struct MainActorTests {
    /// What a program has on its main actor.
    private final class Screen {
        var lines: [String] = []
        func show(_ line: String) {
            MainActor.assertIsolated()
            lines.append(line)
        }
    }

    private let screen = Screen()
    private let clock = ManualClock()

    @Test func operationsRunOnTheCallersActor() async throws {
        let screen = screen
        _ = await withDeadline(.after(.seconds(60), clock: SystemClock())) { screen.show("deadline") }
        _ = try await RetryExecutor(.attempts(2)).execute { screen.show("retry") }
        _ = try await CircuitBreaker(named: "b").execute { screen.show("breaker") }
        _ = try await Bulkhead(policy: .mobile).execute { screen.show("bulkhead") }
        _ = await Latest("").update { () async throws(Never) in
            screen.show("latest")
            return "x"
        }
        await Batch().run([1], order: .items) {
            $0
        } receive: { _, _ in
            screen.show("batch")
        }
        let response = HTTPResponse(
            status: 200, body: .bytes([1]), exchange: Exchange(origin: try Origin("https://a.example")))
        _ = try response.decoded { (_: [UInt8]) in screen.show("decoded") }
        _ = try FailedResponse(status: 400).decoded { _ in screen.show("failed") }
        _ = Field.value(1).map { _ in screen.show("field") }
        #expect(
            screen.lines == [
                "deadline", "retry", "breaker", "bulkhead", "latest", "batch", "decoded", "failed", "field",
            ])
    }

    @Test func signInsShowOnTheCallersActor() async throws {
        let transport = ScriptedTransport(
            .status(
                200,
                #"{"device_code":"d","user_code":"ABCD","verification_uri":"https://l.example","expires_in":60}"#
            ),
            .status(200, #"{"access_token":"t","token_type":"Bearer"}"#))
        let endpoint = try TokenEndpoint(
            "https://login.example.com/token", client: .publicClient(clientID: "c"),
            others: TokenEndpoint.Others(deviceAuthorizationURL: "https://login.example.com/device"),
            transport: transport, clock: clock)
        let (screen, clock) = (screen, clock)
        // The clock moves whenever somebody sleeps.
        let ticking = Task.detached {
            while !Task.isCancelled {
                clock.advanceToNextSleeper()
                await Task.yield()
            }
        }
        defer { ticking.cancel() }
        _ = try await DeviceAuthorization(endpoint: endpoint).grant(for: .default) { prompt in
            screen.show(prompt.userCode)
        }
        #expect(screen.lines == ["ABCD"])
    }

    /// Compiles; a browser is not there.
    private func signIns(_ login: OAuthLogin, _ code: AuthorizationCode) async throws {
        try await login.byDevice { prompt in screen.show(prompt.userCode) }
        try await login.byBrowser(deadline: .after(.seconds(60), clock: clock)) { url in screen.show(url) }
        _ = try await code.grant(for: .default, deadline: .after(.seconds(60), clock: clock)) { url in
            screen.show(url)
        }
    }

    @Test func asynchronousClosuresCanSayMainActor() async throws {
        let screen = screen
        let chain = FallbackChain { @MainActor in screen.show("chain") }
            .fallback("a") { @MainActor in screen.show("a") }
            .fallback("b") { @MainActor (_: any Error) in screen.show("b") }
        _ = try await chain.execute()
        let feature = DegradableFeature(
            full: { @MainActor in screen.show("full") },
            degraded: { @MainActor (_: any Error) in screen.show("degraded") })
        _ = try await feature.execute()
        _ = await Batch().results(for: [1]) { @MainActor _ in screen.show("batch") }
        try await executeWithTimeout(.seconds(3600)) { @MainActor in screen.show("timeout") }
        let provider = ClosureTokenProvider { @MainActor in
            screen.show("token")
            return "t"
        }
        _ = try await provider.refreshToken()
        _ = SecretSource.function { @MainActor in
            screen.show("secret")
            return Secret("s")
        }
        _ = try Debouncer(delay: .seconds(1)) { @MainActor (text: String) in screen.show(text) }
        _ = HTTPBody.replayable { @MainActor in
            screen.show("body")
            return AsyncThrowingStream<HTTPBody.Chunk, any Error> { $0.finish() }
        }
        let sink = BufferedEventSink(capacity: 1) { @MainActor _ in screen.show("event") }
        await sink.finish()
        await #expect(throws: NetworkError.self) {
            _ = try await PreparedCall { @MainActor in screen.show("prepared") }
        }
        _ = ScriptedTransport { @MainActor _, _ in
            screen.show("script")
            return .status(200)
        }
        #expect(screen.lines == ["chain", "full", "batch", "timeout", "token", "prepared"])
    }

    @Test func synchronousClosuresCompile() async throws {
        let shown = Locked(0)
        let note: @Sendable () -> Void = { shown.withLock { $0 += 1 } }
        try CircuitBreaker(named: "b").onStateChange { _ in note() }
        _ = CircuitBreakerPolicy(classify: { CircuitBreakerPolicy.verdict(of: $0) })
        _ = FallbackCondition { _ in true }
        _ = FallbackEngine(
            below: AttemptEngine(transport: ScriptedTransport()),
            steps: [.init("a") { _, _, error async throws(NetworkError) in throw error }],
            onFallback: { _, _ in note() })
        _ = RetryExecutor(.attempts(2), onRetry: { _, _ in note() })
        _ = RetryEngine(
            below: AttemptEngine(transport: ScriptedTransport()), policy: .attempts(2),
            onRetry: { _, _ in note() })
        _ = TokenRefreshCoordinator(
            provider: StaticTokenProvider(Secret("t")), onEvent: { _ in note() })
        _ = TokenRefreshCoordinator(
            acquirer: ProviderAcquirer(StaticTokenProvider(Secret("t"))), onEvent: { _ in note() },
            account: { _ in nil })
        _ = try GatewayEnvironment([:], onTokenEvent: { _ in note() })
        _ = OAuthCredential.grant(client: .publicClient(clientID: "c")) { ClientCredentials(endpoint: $0) }
            .renewed(by: TokenRefreshPolicy(), onEvent: { _ in note() })
        _ = APIKeyCredential(reading: { Secret("k") })
        _ = CustomCredential.custom { request in request.fields["X-Key"] = "k" }
        _ = NetworkProfile.custom { _, _ in NetworkProfile.Outcome() }
        _ = EmbeddedGateway.Scope.matching { $0.path == "/" }
        _ = CacheStoreConformance { MemoryCacheStore() }
        _ = TokenStoreConformance { [MemoryTokenStore()] }
        _ = TokenAcquirerConformance { _ in ProviderAcquirer(StaticTokenProvider(Secret("t"))) }
        _ = TokenAcquirerConformance(
            withoutEndpoint: { ProviderAcquirer(StaticTokenProvider(Secret("t"))) })
        _ = TokenProviderConformance { StaticTokenProvider(Secret("t")) }
        #expect(shown.withLock { $0 } == 0)
    }

    @Test func handlersOfTheTestGatewayCompile() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        let screen = screen
        gateway.route(.get, "/now") { _ in .init(status: 200) }
        gateway.route(.get, "/later") { @MainActor request async in
            screen.show(String(request.path))
            return .init(status: 200)
        }
        _ = try await GatewayConfiguration().makeEngine().send(
            try HTTPRequest(.get, "\(gateway.origin)/later"))
        #expect(screen.lines == ["/later"])
    }

    // MARK: Completeness

    /// Functions that are tried where their products are tested, or that a program implements.
    private static let elsewhere: Set = [
        "enqueue", "schedule", "observe", "JSONLogSink", "ClientTelemetry", "environment", "giveBack",
        "withTrace",
    ]

    @Test func everyClosureParameterIsTried() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        let own = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        var missing: [String] = []
        for module in [
            "GatewayCore", "GatewayResilience", "GatewayAuth", "GatewayOpenAPI", "GatewayClient",
            "GatewayTesting", "GatewayTelemetry", "GatewayOfflineQueue",
        ] {
            let folder = root.appending(path: "Sources/\(module)")
            let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            while let file = files?.nextObject() as? URL {
                guard file.pathExtension == "swift" else { continue }
                let text = try String(contentsOf: file, encoding: .utf8)
                for name in Self.functionsWithClosures(in: text, of: file) {
                    if !own.contains("\(name)("), !own.contains("\(name) {"), !Self.elsewhere.contains(name) {
                        missing.append("\(module): \(name)")
                    }
                }
            }
        }
        #expect(missing == [])
    }

    /// The names of the public functions with a closure parameter; that of the file's type for an initializer.
    private static func functionsWithClosures(in text: String, of file: URL) -> Set<String> {
        let type = file.deletingPathExtension().lastPathComponent.prefix { $0 != "+" }
        let declaration =
            #/(?m)^ *public (?:static |convenience |mutating )*(?:func (?<name>\w+)|init)(?:<[^(]*>)?\(/#
        return Set(
            text.matches(of: declaration).compactMap { match in
                var depth = 1
                let parameters = text[match.range.upperBound...].prefix { character in
                    depth += character == "(" ? 1 : character == ")" ? -1 : 0
                    return depth > 0
                }
                guard parameters.contains("->") else { return nil }
                return match.output.name.map(String.init) ?? String(type)
            })
    }
}
