import GatewayClient
import GatewayTelemetry
import GatewayTesting
import Testing

/// No secret of a call gets into what a collector receives, in either form.
@Suite(.timeLimit(.minutes(2))) struct SpanOutputTests {
    @Test(arguments: OTLPConfiguration.Encoding.allCases)
    func spansAndMetricsHaveNoSecret(encoding: OTLPConfiguration.Encoding) async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        gateway.inject(.status(503, retryAfter: .zero), times: 1)
        let collector = ScriptedTransport(.status(200))
        let metrics = RequestMetricsCollector(measuresExchanges: true)
        var sending = OTLPConfiguration()
        var destination = OTLPConfiguration.Destination("http://127.0.0.1:4318/v1/traces")
        destination.encoding = encoding
        destination.fields = ["X-Api-Key": Marker.text]
        sending.traces = destination
        sending.metrics = destination
        let exporter = try OTLPExporter(sending, transport: collector, metrics: metrics)
        var options = ClientTracer.Options()
        options.recordsEveryCall = true
        options.recordsPhases = true
        let tracer = ClientTracer(exporter: exporter, options: options)
        let engine = try Self.engine(gateway, ClientTelemetry(metrics: metrics, tracer: tracer), tracer)
        try await Self.makeCalls(engine, gateway)
        #expect(await exporter.flush(until: .after(.seconds(3_600))))

        let bodies = collector.requests.compactMap(\.body.bytes)
        // Text is the same in both forms, but for escapes of JSON, which markers do not need.
        let text = bodies.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
        for part in [
            "gateway.call", "url.full", "?key=REDACTED", "/oauth/token", "gateway.credential.rejected",
            "http.client.request.duration", "gateway.first_byte",
        ] {
            #expect(text.contains(part), "\(part) is not there: the test shows nothing")
        }
        #expect(Marker.found(in: text).isEmpty)
        #expect(!text.contains(gateway.client.secret.exposed) && !text.contains("eyJ"))
        for request in collector.requests {
            #expect(!request.fields.contains(.authorization) && !request.fields.contains("baggage"))
        }
        // The search of all output for secrets reads it, too.
        if encoding == .json { TestTrace.show(text) }
        await engine.shutdown(within: .seconds(10))
    }

    private static func engine(
        _ gateway: EmbeddedGateway, _ telemetry: ClientTelemetry, _ tracer: ClientTracer
    ) throws -> GatewayEngine {
        var configuration = GatewayConfiguration()
        configuration.events = telemetry
        let acquirer = ClientCredentials(
            endpoint: try TokenEndpoint(
                gateway.tokenURL,
                client: .basic(clientID: gateway.client.id, secret: gateway.client.secret),
                transport: InstrumentedTransport(CurlTransport(), instrument: tracer)))
        configuration.authentication = .init(
            coordinator: TokenRefreshCoordinator(acquirer: acquirer), scope: CredentialScope([gateway.origin])
        )
        return try configuration.makeEngine()
    }

    private static func makeCalls(_ engine: GatewayEngine, _ gateway: EmbeddedGateway) async throws {
        let baggage = Baggage([try #require(Baggage.Member("user", Marker.text))])
        let caller = TraceContext(traceIDHigh: 1, traceIDLow: 2, spanID: 3, flags: 1)
        try await withTrace(caller, baggage: baggage) {
            for path in ["/v1/books", "/status/404", "/echo"] {
                let request = try HTTPRequest(
                    path == "/echo" ? .post : .get, "\(gateway.origin)\(path)?key=\(Marker.token)",
                    fields: ["Cookie": Marker.text, "X-Api-Key": Marker.text], body: .bytes(Marker.bytes))
                _ = try await engine.send(request, options: CallOptions(idempotencyKey: Marker.token))
            }
            gateway.revokeCurrentTokens()
            _ = try await engine.send(
                try HTTPRequest(.get, "\(gateway.origin)/v1/books?key=\(Marker.token)&\(Marker.token)"))
        }
    }
}
