import Foundation
import GatewayClient
import GatewayTesting
import Testing

/// Engines above another one hide nothing of what it offers.
@Suite struct EngineServicesTests {
    private struct Showing: Transport {
        let below = ScriptedTransport(.status(200))
        let showsClientCertificate = true

        func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse
        {
            try await below.send(request, context: context)
        }
    }

    /// A layer of a program's own.
    private struct Audited<Below: RequestEngine>: RequestEngine {
        let below: Below
        var services: EngineServices { below.services }

        func send(
            _ request: HTTPRequest, context: consuming RequestContext
        ) async throws(NetworkError) -> HTTPResponse { try await below.send(request, context: context) }
    }

    /// One above whatever engine.
    private struct AnyLayer: RequestEngine {
        let below: any RequestEngine
        var services: EngineServices { below.services }

        func send(
            _ request: HTTPRequest, context: consuming RequestContext
        ) async throws(NetworkError) -> HTTPResponse { try await below.send(request, context: context) }
    }

    /// The engines of the sources that are above another one.
    private static func layers(above engine: GatewayEngine) -> [any RequestEngine] {
        [
            FallbackEngine(below: engine, steps: []), CacheEngine(below: engine, cache: nil),
            CoalescingEngine(below: engine), RedirectEngine(below: engine),
            RetryEngine(below: engine, policy: .immediate(attempts: 2)),
            AuthenticatedRequestEngine(below: engine), Audited(below: engine),
        ]
    }

    /// engine.services-forwarded
    @Test func aLayerOffersWhatTheEngineBelowDoes() throws {
        let (clock, tokens) = (ManualClock(), ScriptedTransport())
        var configuration = GatewayConfiguration()
        configuration.events = EventRecorder()
        configuration.clock = clock
        configuration.plainHTTP = try PlainHTTPHosts([".shop.svc"])
        configuration.operations = ["list": CallOptions(deadline: .seconds(3))]
        let origin = try Origin("https://api.example.com")
        configuration.authentication = GatewayConfiguration.Authentication(
            coordinator: TokenRefreshCoordinator(provider: StaticTokenProvider(Secret("t"))),
            scope: CredentialScope([origin]))
        let engine = GatewayEngine(
            transport: Showing(), tokenTransport: tokens, configuration: configuration)
        for layer in Self.layers(above: engine) + [engine] {
            for upper: any RequestEngine in [
                layer, Audited(below: FallbackEngine(below: AnyLayer(below: layer), steps: [])),
            ] {
                let (services, name) = (upper.services, "\(type(of: layer))")
                #expect(services.tokenTransport as? ScriptedTransport === tokens, "\(name)")
                #expect(services.showsClientCertificate, "\(name)")
                #expect(services.events === engine.services.events && services.events != nil, "\(name)")
                #expect(services.clock as? ManualClock === clock, "\(name)")
                #expect(services.plainHTTP == configuration.plainHTTP, "\(name)")
                #expect(services.credentials[origin] === engine.services.credentials[origin], "\(name)")
                #expect(services.credentials[origin] != nil, "\(name)")
                #expect(services.operationOptions["list"]?.deadline == .seconds(3), "\(name)")
            }
        }
        #expect(AsyncRequestEngine(transport: Showing()).services.showsClientCertificate)
    }

    /// A layer with a clock or hosts of its own offers these.
    @Test func aLayerOffersWhatItChanges() throws {
        let (clock, below) = (ManualClock(), AttemptEngine(transport: ScriptedTransport()))
        let hosts = try PlainHTTPHosts([".shop.svc"])
        for engine: any RequestEngine in [
            CoalescingEngine(below: below, clock: clock),
            RetryEngine(below: below, policy: .immediate(attempts: 2), clock: clock),
            AuthenticatedRequestEngine(below: below, plainHTTP: hosts, clock: clock),
        ] { #expect(engine.services.clock as? ManualClock === clock, "\(type(of: engine))") }
        #expect(AuthenticatedRequestEngine(below: below, plainHTTP: hosts).services.plainHTTP == hosts)
    }

    /// A call by hand through layers has the options of its operation.
    @Test func theOptionsOfAnOperationApplyThroughLayers() async throws {
        let transport = ScriptedTransport(.status(200))
        var configuration = GatewayConfiguration()
        configuration.operations = ["list": CallOptions(fields: ["X-Tenant": "7"])]
        let engine = GatewayEngine(
            transport: transport, tokenTransport: transport, configuration: configuration)
        let request = try HTTPRequest(.get, "https://api.example.com/")
        for layer in Self.layers(above: engine) {
            _ = try await layer.send(request, operation: "list")
            #expect(transport.requests.last?.fields["X-Tenant"] == "7", "\(type(of: layer))")
        }
    }

    /// engine.services-forwarded: no other engine of the sources is above another one.
    @Test func thereAreNoOtherLayers() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources")
        var found: Set<String> = []
        let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
        for case let file as URL in try #require(files) where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            guard text.contains("RequestEngine") else { continue }
            for match in text.matches(
                of: /\n[a-z ]*(?:struct|class|actor|extension) (\w+)[^{\n]*: [^{]*\bRequestEngine\b[^{>]*\{/)
            {
                found.insert(String(match.1))
            }
        }
        let layers: Set = [
            "FallbackEngine", "CacheEngine", "CoalescingEngine", "RedirectEngine", "RetryEngine",
            "AuthenticatedRequestEngine",
        ]
        // Compositions of these, whose services the engine has that is above them.
        let compositions: Set = ["AsyncRequestEngine", "CallLayers"]
        // They have a transport below, or answer nothing, or are of the benchmark.
        let lowest: Set = ["AttemptEngine", "NoEngine", "QueueWithoutServer", "Immediate", "Unanswered"]
        #expect(found == layers.union(compositions).union(lowest))
    }
}
