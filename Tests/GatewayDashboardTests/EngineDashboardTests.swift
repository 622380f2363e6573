import GatewayClient
import GatewayCore
import GatewayJSON
import GatewayTesting
import Testing

@testable import GatewayDashboard
@testable import GatewayTelemetry

/// The dashboard of an engine that makes real calls.
@Suite(.timeLimit(.minutes(1))) struct EngineDashboardTests {
    private static let secrets = ["hunter2", "subject-of-somebody"]

    private static func start(
        _ configuration: inout GatewayConfiguration
    ) throws -> GatewayDashboard {
        var options = GatewayDashboard.Options()
        options.printsLink = false
        return try GatewayDashboard.start(&configuration, options: options)
    }

    private static func authentication(_ gateway: EmbeddedGateway) throws
        -> GatewayConfiguration.Authentication
    {
        let acquirer = ClientCredentials(
            endpoint: try TokenEndpoint(
                gateway.tokenURL,
                client: .basic(clientID: gateway.client.id, secret: gateway.client.secret),
                transport: CurlTransport()))
        return .init(
            coordinator: TokenRefreshCoordinator(acquirer: acquirer), scope: CredentialScope([gateway.origin])
        )
    }

    /// All events that a new viewer gets.
    private static func stream(_ collector: DashboardCollector) async throws -> (
        text: String, frame: JSONValue
    ) {
        let shared = SharedFrame(await collector.snapshot(1))
        var viewer = ViewerState()
        var bytes: [UInt8] = []
        while viewer.frame == 0 { bytes += viewer.next(shared) }
        let frame = try #require(try StreamEvents(bytes).events.last)
        return (String(decoding: bytes, as: UTF8.self), frame.value)
    }

    @Test func callsTokensAndConnectionsAreShown() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        var configuration = GatewayConfiguration()
        configuration.authentication = try Self.authentication(gateway)
        let dashboard = try Self.start(&configuration)
        defer { dashboard.stop() }
        let collector = try #require(configuration.events as? DashboardCollector)
        #expect(!collector.hasEngines)
        let engine = try configuration.makeEngine()
        // As if somebody watched.
        collector.isWatched = true
        let list = GatewayCore.Operation("listBooks", method: .get, template: "/v1/books")
        for _ in 0..<3 {
            _ = try await engine.send(
                try HTTPRequest(
                    .get, "\(gateway.origin)/v1/books?key=\(Self.secrets[0])",
                    fields: ["Cookie": Self.secrets[0]]), context: RequestContext(operation: list))
        }
        gateway.revokeCurrentTokens()
        _ = try await engine.send(
            try HTTPRequest(.get, "\(gateway.origin)/v1/books"), context: RequestContext(operation: list))
        let (text, frame) = try await Self.stream(collector)
        #expect(frame["totals"]?["all"]?["succeeded"]?.int == 4)
        #expect(frame["operations"]?[0]?["id"]?.string == "listBooks")
        #expect(frame["origins"]?.array?.contains { $0["origin"]?.string == "\(gateway.origin)" } == true)
        let lane = try #require(frame["tokens"]?[0])
        #expect(lane["generation"]?.int == 2 && lane["reason"]?.string == "rejected")
        #expect(lane["refreshes"]?["rejected"]?.int == 1 && lane["usable"]?.int == 1)
        #expect(
            lane["valid_ms"]?.double ?? 0 > 0 && lane["label"]?.string == "default")
        for part in [
            "\"k\":\"rejected\"", "\"k\":\"replayed\"", "\"why\":\"replay\"", "\"k\":\"first_byte\"",
            "/v1/books'",
        ] {
            #expect(text.contains(part), "\(part) is not there: the test shows nothing")
        }
        // Neither the query nor the token, which is a JSON Web Token.
        #expect(!text.contains(Self.secrets[0]) && !text.contains("eyJ"))
        #expect(!text.contains(gateway.client.secret.exposed))
        await engine.shutdown(within: .seconds(5))
        #expect(
            try await Self.stream(collector).frame["sentence"]?["text"]?.string == "The engine is shut down.")
    }

    /// An engine that is shut down is no problem as long as another one of the configuration makes calls.
    @Test func oneOfTwoEnginesIsShutDown() async throws {
        var configuration = GatewayConfiguration()
        let collector = DashboardCollector(metrics: nil, clock: SystemClock())
        configuration.events = collector
        let engines = (0..<2).map { _ in
            GatewayEngine(
                transport: ScriptedTransport(.status(200)), tokenTransport: ScriptedTransport(.status(200)),
                configuration: configuration)
        }
        await engines[0].shutdown(within: .seconds(5))
        let frame = try await Self.stream(collector).frame
        #expect(frame["problems"]?.array == [] && frame["health"]?["ready"]?.bool == true)
        #expect(frame["health"]?["ending"]?.bool == false)
        await engines[1].shutdown(within: .seconds(5))
        let end = try await Self.stream(collector).frame
        #expect(end["sentence"]?["text"]?.string == "The engine is shut down.")
        withExtendedLifetime(engines) {}
    }

    @Test func keysAndSubjectsAreNotShown() async throws {
        let fixture = try DashboardFixture()
        let credential = CredentialIdentity(
            key: "issuer|client|\(Self.secrets[1])", epoch: 1, account: Self.secrets[1])
        for kind in [
            .refreshStarted(.demand), .refreshed(lifetime: .seconds(60), renewal: .seconds(50)), .rejected,
            .scopesNarrowed(missing: [Self.secrets[1]]), .signedOut,
        ] as [TokenEvent.Kind] {
            fixture.collector.record(TokenEvent(credential: credential, generation: 1, kind: kind))
        }
        let (text, frame) = try await Self.stream(fixture.collector)
        #expect(frame["tokens"]?[0]?["label"]?.string == "default")
        #expect(frame["tokens"]?[0]?["events"]?.array?.count == 5 && !text.contains(Self.secrets[1]))
    }

    /// The metrics and the transport of a `ClientTelemetry` stay what they are.
    @Test func aDashboardIsAddedToWhatIsThere() throws {
        let telemetry = ClientTelemetry()
        var configuration = GatewayConfiguration()
        configuration.events = telemetry
        let dashboard = try Self.start(&configuration)
        defer { dashboard.stop() }
        let receivers = try #require(configuration.events).allReceivers
        let collector = try #require(receivers.lazy.compactMap { $0 as? DashboardCollector }.first)
        #expect(collector.metrics === telemetry.metrics && receivers.contains { $0 === telemetry })
        let engine = GatewayEngine(
            transport: ScriptedTransport(.status(200)), tokenTransport: ScriptedTransport(.status(200)),
            configuration: configuration)
        #expect(collector.hasEngines && telemetry.metrics.connectionSourceCount == 1)
        withExtendedLifetime(engine) {}
    }

    /// Calls that join another one name it, and it names them.
    @Test func aSharedExchangeNamesItsCallers() async throws {
        let gate = Gate()
        let transport = ScriptedTransport { _, _ in
            await gate.pass()
            return .status(200)
        }
        let collector = DashboardCollector(metrics: nil, clock: SystemClock())
        var configuration = GatewayConfiguration()
        configuration.events = collector
        let engine = GatewayEngine(
            transport: transport, tokenTransport: transport, configuration: configuration)
        let request = try HTTPRequest(.get, "https://api.example.com/books")
        async let first = engine.send(request)
        await gate.waitForArrivals(1)
        async let second = engine.send(request)
        #expect(await isEventually { collector.open.oldest(1).first?.joinedCount == 1 })
        gate.open()
        _ = try await (first, second)
        let calls = collector.copy().calls.listed.map(\.call)
        let leader = try #require(calls.first { $0.leader == nil })
        let follower = try #require(calls.first { $0.leader != nil })
        #expect(follower.leader == leader.id && leader.joined == [follower.id])
    }

    @Test func aFallbackIsAStep() async throws {
        let collector = DashboardCollector(metrics: nil, clock: SystemClock())
        var configuration = GatewayConfiguration()
        configuration.events = collector
        let engine = FallbackEngine(
            below: GatewayEngine(
                transport: ScriptedTransport(.status(503)), tokenTransport: ScriptedTransport(.status(503)),
                configuration: configuration),
            steps: [
                .init("maintenance") { request, _, _ in
                    HTTPResponse(status: 200, exchange: Exchange(origin: request.origin))
                }
            ])
        let response = try await engine.send(try HTTPRequest(.post, "https://api.example.com/books"))
        #expect(response.status == 200)
        let frame = try await Self.stream(collector).text
        #expect(frame.contains(#""k":"fallback""#) && frame.contains(#""step":"maintenance""#))
    }
}
