import Foundation
import GatewayClient
import GatewayTesting
import Testing

/// Engines above another one hide nothing of what it offers.
@Suite struct EngineLayerTests {
    private struct Showing: Transport, ClientCertificateShowing {
        let below = ScriptedTransport()
        let showsClientCertificate = true

        func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse
        {
            try await below.send(request, context: context)
        }
    }

    /// A layer of a program's own.
    private struct Audited<Below: RequestEngine>: EngineLayer {
        let below: Below
        var engineBelow: any RequestEngine { below }

        func send(
            _ request: HTTPRequest, context: consuming RequestContext
        ) async throws(NetworkError) -> HTTPResponse { try await below.send(request, context: context) }
    }

    private static func layers(above engine: GatewayEngine) -> [any RequestEngine] {
        [
            FallbackEngine(below: engine, steps: []), CacheEngine(below: engine, cache: nil),
            CoalescingEngine(below: engine), RedirectEngine(below: engine),
            RetryEngine(below: engine, policy: .immediate(attempts: 2)),
            CallEntryEngine(below: engine, deadline: nil),
            StrictTransportEngine(below: engine, store: HSTSPolicyStore()),
            AuthenticatedRequestEngine(below: engine), Audited(below: engine),
        ]
    }

    @Test func aLayerOffersWhatTheEngineBelowDoes() throws {
        let tokens = ScriptedTransport()
        var configuration = GatewayConfiguration()
        configuration.events = EventRecorder()
        let engine = GatewayEngine(
            transport: Showing(), tokenTransport: tokens, configuration: configuration)
        for layer in Self.layers(above: engine) {
            for engine: any RequestEngine in [
                layer, Audited(below: FallbackEngine(below: AnyLayer(layer), steps: [])),
            ] {
                let transport = engine.offer((any TokenTransportProviding).self)?.tokenTransport
                #expect(transport as? ScriptedTransport === tokens, "\(type(of: layer))")
                #expect(engine.offer((any ClientCertificateShowing).self)?.showsClientCertificate == true)
                #expect(engine.offer((any EventOutletProviding).self)?.eventOutlet != nil)
            }
        }
        #expect(
            AsyncRequestEngine(transport: Showing()).offer((any ClientCertificateShowing).self)?
                .showsClientCertificate == true)
    }

    /// A layer above whatever engine.
    private struct AnyLayer: EngineLayer {
        let engineBelow: any RequestEngine

        init(_ engine: any RequestEngine) { engineBelow = engine }

        func send(
            _ request: HTTPRequest, context: consuming RequestContext
        ) async throws(NetworkError) -> HTTPResponse { try await engineBelow.send(request, context: context) }
    }

    /// No other engine of the sources is above another one.
    @Test func thereAreNoOtherLayers() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Sources")
        let rooms = ["GatewayCore", "GatewayResilience", "GatewayAuth", "GatewayClient", "GatewayOpenAPI"]
        var others: Set<String> = []
        for room in rooms {
            let files = FileManager.default.enumerator(
                at: sources.appendingPathComponent(room), includingPropertiesForKeys: nil)
            for case let file as URL in try #require(files) where file.pathExtension == "swift" {
                let text = try String(contentsOf: file, encoding: .utf8)
                for match in text.matches(
                    of: /\n[a-z ]*(?:struct|class|actor) (\w+)[^{\n]*: [^{]*\bRequestEngine\b[^{>]*\{/)
                {
                    others.insert(String(match.1))
                }
            }
        }
        // The first two have no engine below, and the last one answers nothing.
        #expect(others == ["AttemptEngine", "GatewayEngine", "NoEngine"])
    }
}
