import GatewayClient
import GatewayTesting

@testable import GatewayTelemetry

/// Calls of every kind, whose spans are exported.
struct RandomCalls {
    let exporter: OTLPExporter
    let random: SeededRandomSource
    private let clock = ManualClock()

    /// Makes calls until so many spans have ended.
    ///
    /// - Returns: the number of spans.
    func make(spans count: Int) async throws -> Int {
        var options = ClientTracer.Options()
        options.recordsPhases = true
        let tracer = ClientTracer(exporter: exporter, options: options, clock: clock, random: random)
        try await callGateway(tracer)
        try recordEachEvent(tracer)
        var configuration = AsyncRequestEngine.Configuration()
        configuration.clock = clock
        configuration.events = tracer
        configuration.retry.policy = ExponentialRetryPolicy(
            maximumAttempts: 3, backoff: .immediate, jitter: .proportional(0))
        let (clock, random) = (clock, random)
        let transport = ScriptedTransport { _, _ in
            clock.advance(by: .microseconds(random.int(in: 0..<50_000)))
            return Self.step(random)
        }
        let engine = AsyncRequestEngine(transport: transport, configuration: configuration)
        while (exporter.spans?.ended ?? count) < count { try await call(engine) }
        return exporter.spans?.ended ?? 0
    }

    private static func step(_ random: SeededRandomSource) -> ScriptedTransport.Reply {
        switch random.int(in: 0..<12) {
        case 0: .failure(NetworkError(.timeout, "late", phase: .send))
        case 1: .failure(NetworkError(.connectionRefused, "refused", phase: .connect))
        case 2: .failure(NetworkError(.cancelled, "cancelled"))
        case 3: .failure(NetworkError(.overloaded, "full", phase: .queue))
        case 4: .status(302, fields: ["Location": "/moved?token=x"])
        case 5: .status(503, fields: ["X-Request-Id": "id-1"])
        case 6: .status(404)
        case 7: .status(500)
        default: .status(200)
        }
    }

    private func call(_ engine: AsyncRequestEngine) async throws {
        let origins = ["http://127.0.0.1:8080", "https://api.example.com", "https://[::1]:8443"]
        let methods: [HTTPMethod] = [.get, .post, .delete, HTTPMethod("BREW"), HTTPMethod("QUERY")]
        let method = methods[random.int(in: 0..<methods.count)]
        let request = try HTTPRequest(
            method, origins[random.int(in: 0..<origins.count)] + "/books/7?page=1&token=x")
        let hasCaller = random.int(in: 0..<2) == 0
        let caller = TraceContext(
            traceIDHigh: random.next(), traceIDLow: 1, spanID: 1, flags: UInt8(random.int(in: 0..<8)))
        let operation = Operation("readBook", method: method, template: "/books/{id}")
        _ = try? await engine.send(
            request, options: CallOptions(trace: hasCaller ? caller : nil),
            operation: random.int(in: 0..<2) == 0 ? operation : nil)
    }

    /// Exchanges with connections, phases and a token.
    private func callGateway(_ tracer: ClientTracer) async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        let transport = CurlTransport()
        let tokens = InstrumentedTransport(CurlTransport(), instrument: tracer)
        var configuration = GatewayConfiguration()
        configuration.events = tracer
        let client = gateway.client
        let acquirer = ClientCredentials(
            endpoint: try TokenEndpoint(
                gateway.tokenURL, client: .basic(clientID: client.id, secret: client.secret),
                transport: tokens))
        configuration.authentication = .init(
            coordinator: TokenRefreshCoordinator(acquirer: acquirer), scope: CredentialScope([gateway.origin])
        )
        let engine = GatewayEngine(transport: transport, tokenTransport: tokens, configuration: configuration)
        for _ in 0..<5 { _ = try await engine.send(try HTTPRequest(.get, "\(gateway.origin)/v1/books")) }
        gateway.revokeCurrentTokens()
        _ = try await engine.send(try HTTPRequest(.get, "\(gateway.origin)/v1/books"))
        await transport.shutdown()
        await tokens.shutdown()
    }

    /// Each kind of event in the span of a call.
    private func recordEachEvent(_ tracer: ClientTracer) throws {
        let trace = TraceContext(traceIDHigh: 7, traceIDLow: 7, spanID: 7, flags: 1)
        for sample in try EventSamples.calls() {
            for kind in [
                .started, sample.kind, .failed(FailureCause(.timeout), attempts: 0, duration: .zero),
            ] as [RequestEvent.Kind] {
                tracer.record(
                    RequestEvent(
                        instant: clock.now, callID: .max, trace: trace, operation: "list",
                        origin: sample.origin,
                        method: .get, kind: kind))
            }
        }
    }
}
