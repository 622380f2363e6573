import GatewayClient
import GatewayTelemetry
import GatewayTesting
import Testing

/// No secret of a call gets into metrics and logs, at the highest level of logging.
@Suite(.timeLimit(.minutes(2))) struct TelemetryOutputTests {
    private final class Output: Sendable {
        let bytes = Locked<[UInt8]>([])
        func write(_ new: [UInt8]) { bytes.withLock { $0 += new } }
        var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }
    }

    private let output = Output()
    private let telemetry: ClientTelemetry

    init() {
        let output = output
        telemetry = ClientTelemetry(
            metrics: RequestMetricsCollector(measuresExchanges: true),
            log: JSONLogSink(level: .debug, write: output.write))
    }

    /// All that metrics and logs give out.
    private func everything() async -> String {
        await telemetry.log?.flush()
        var text = output.text
        let protobuf =
            "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited"
        for accept in [nil, "application/openmetrics-text", protobuf] {
            text += String(
                decoding: await telemetry.metrics.exposition(accepting: accept).bytes, as: UTF8.self)
        }
        return text
    }

    @Test func callsWithSecretsLeaveNone() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        gateway.inject(.status(503, retryAfter: .zero), times: 1)
        var configuration = GatewayConfiguration()
        configuration.events = telemetry
        let acquirer = ClientCredentials(
            endpoint: try TokenEndpoint(
                gateway.tokenURL,
                client: .basic(clientID: gateway.client.id, secret: gateway.client.secret),
                transport: CurlTransport()))
        configuration.authentication = .init(
            coordinator: TokenRefreshCoordinator(acquirer: acquirer), scope: CredentialScope([gateway.origin])
        )
        let engine = try configuration.makeEngine()
        let trace = try #require(
            TraceContext(
                traceIDHigh: 1, traceIDLow: 2, spanID: 3, flags: 1, state: "vendor=\(Marker.token)"))
        for path in ["/v1/books", "/status/404", "/echo"] {
            let request = try HTTPRequest(
                path == "/echo" ? .post : .get, "\(gateway.origin)\(path)?key=\(Marker.token)",
                fields: ["Cookie": Marker.text, "X-Api-Key": Marker.text], body: .bytes(Marker.bytes))
            var options = CallOptions(idempotencyKey: Marker.token)
            options.trace = trace
            _ = try await engine.send(
                request, context: RequestContext(options: options, operation: "list"))
        }
        gateway.revokeCurrentTokens()
        _ = try await engine.send(
            try HTTPRequest(.get, "\(gateway.origin)/v1/books?key=\(Marker.token)"),
            context: RequestContext(operation: "list"))
        let text = await everything()
        for part in [
            "succeeded", "retry_scheduled", "replayed", "exchanged", "token_refreshed",
            "gateway_operation=\"list\"", "\"request_id\":\"",
        ] {
            #expect(text.contains(part), "\(part) is not there: the test shows nothing")
        }
        #expect(Marker.found(in: text).isEmpty)
        #expect(!text.contains(gateway.client.secret.exposed))
        // Access tokens of the gateway are JSON Web Tokens.
        #expect(!text.contains("eyJ"))
        TestTrace.show(text)
    }

    /// Credentials' keys can contain the subject, messages of errors what a server said.
    @Test func eventsLeaveOutWhatTellsOfPeople() async throws {
        let credential = CredentialIdentity(
            key: "issuer|client|\(Marker.text)", epoch: 1, account: Marker.text)
        for kind in [
            .refreshStarted(.demand), .refreshed(lifetime: .seconds(60), renewal: .seconds(50)),
            .scopesNarrowed(missing: [Marker.text]),
            .refreshFailed(FailureCause(.timeout), isPermanent: true, attempt: 1, retryAfter: nil),
            .signedOut,
            .notShared(coordinators: 20),
        ] as [TokenEvent.Kind] {
            telemetry.record(TokenEvent(credential: credential, generation: 1, kind: kind))
        }
        let text = await everything()
        #expect(text.contains("token_scopes_narrowed") && text.contains("token_refresh_failed"))
        #expect(Marker.found(in: text).isEmpty)
    }
}
