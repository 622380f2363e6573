import GatewayClient
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayTelemetry

/// The links between spans of different calls.
@Suite struct SpanLinkTests {
    private func caller(_ number: UInt64) throws -> TraceContext {
        try #require(TraceContext(traceIDHigh: number, traceIDLow: 1, spanID: number, flags: 1))
    }

    /// Equal calls of many callers: one exchange, and a link to it from each of the others.
    @Test(.tags(.concurrent)) func callsThatShareAnExchangeLinkToIt() async throws {
        let recorder = SpanRecorder()
        let gate = Gate()
        let transport = ScriptedTransport { _, _ in
            await gate.pass()
            return .status(200)
        }
        let engine = recorder.engine(transport)
        let request = try HTTPRequest(.get, "http://127.0.0.1:1/books")
        let options = CallOptions(trace: try caller(1))
        let leader = Task { try await engine.send(request, options: options) }
        await gate.waitForArrivals(1)
        let events = EventRecorder()
        let followers = try (UInt64(2)...1_000).map { number in
            let options = CallOptions(trace: try caller(number))
            return Task {
                var context = RequestContext(options: options, clock: recorder.clock)
                context.events = events
                return try await engine.send(request, context: context)
            }
        }
        #expect(
            await isEventually {
                events.events.count { if case .deduplicated = $0.kind { true } else { false } } == 999
            })
        gate.open()
        _ = try await leader.value
        for follower in followers { _ = try await follower.value }
        let exchanges = recorder.spans.filter { $0.kind == .client }
        let calls = recorder.spans.filter { $0.kind == .internal }
        let exchange = try #require(exchanges.first)
        #expect(exchanges.count == 1 && exchange.parentSpanID == 1 && exchange.links.isEmpty)
        #expect(calls.count == 999 && Set(calls.map(\.parentSpanID)) == Set(2...1_000))
        #expect(calls.allSatisfy { $0.links.map(\.spanID) == [exchange.position.spanID] })
        #expect(calls.allSatisfy { $0.links.map(\.traceID) == [exchange.position.traceID] })
        #expect(calls.allSatisfy { $0.events.map(\.name) == ["gateway.coalesced"] })
    }

    @Test func aSharedFailureIsLinkedToo() async throws {
        let recorder = SpanRecorder()
        let gate = Gate()
        let transport = ScriptedTransport { _, _ in
            await gate.pass()
            return .failure(NetworkError(.connectionLost, "lost"))
        }
        let engine = recorder.engine(transport) { $0.retry.policy = .never }
        let request = try HTTPRequest(.get, "http://127.0.0.1:1/books")
        let events = EventRecorder()
        let leader = Task { try await engine.send(request) }
        await gate.waitForArrivals(1)
        var context = RequestContext(options: CallOptions(trace: try caller(2)), clock: recorder.clock)
        context.events = events
        let follower = Task { [context] in try await engine.send(request, context: context) }
        #expect(await isEventually { events.events.count >= 2 })
        gate.open()
        await #expect(throws: NetworkError.self) { try await leader.value }
        await #expect(throws: NetworkError.self) { try await follower.value }
        let exchange = try #require(recorder.spans.first { $0.kind == .client })
        let call = try #require(recorder.spans.first { $0.parentSpanID == 2 })
        #expect(call.isError && call.links.map(\.spanID) == [exchange.position.spanID])
    }

    /// Calls that wait for a token: the token request is the root of a trace, and each call's exchange links to it.
    @Test(.tags(.concurrent)) func callsThatWaitForATokenLinkToItsRequest() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        let recorder = SpanRecorder()
        var configuration = GatewayConfiguration()
        configuration.events = recorder.tracer
        configuration.coalescing = nil
        let transport = CurlTransport()
        let tokens = InstrumentedTransport(CurlTransport(), instrument: recorder.tracer)
        let acquirer = ClientCredentials(
            endpoint: try TokenEndpoint(
                gateway.tokenURL,
                client: .basic(clientID: gateway.client.id, secret: gateway.client.secret), transport: tokens)
        )
        configuration.authentication = .init(
            coordinator: TokenRefreshCoordinator(acquirer: acquirer), scope: CredentialScope([gateway.origin])
        )
        let engine = GatewayEngine(transport: transport, tokenTransport: tokens, configuration: configuration)
        let calls = try (UInt64(1)...20).map { number in
            let request = try HTTPRequest(.get, "\(gateway.origin)/v1/books")
            let options = CallOptions(trace: try caller(number))
            return Task { try await engine.send(request, options: options).status }
        }
        for call in calls { #expect(try await call.value == 200) }
        let exchanges = recorder.spans.filter { $0.kind == .client }
        let requests = exchanges.filter { $0.parentSpanID == 0 }
        let token = try #require(requests.first)
        #expect(requests.count == 1 && exchanges.count == 21 && recorder.spans.count == 21)
        #expect(token.attribute("url.full") == gateway.tokenURL && token.links.isEmpty)
        let linked = exchanges.filter { $0.links.map(\.spanID) == [token.position.spanID] }
        // A call that began when the token was there has not waited.
        #expect(!linked.isEmpty && exchanges.allSatisfy { $0.links.count <= 1 })
        await transport.shutdown()
        await tokens.shutdown()
    }

    /// A token is revoked under 1,000 calls: a span for each exchange that the server has seen, and a link to the token request
    /// from each call that waited for it.
    @Test(.tags(.concurrent), .timeLimit(.minutes(5)))
    func callsLinkToTheRefreshAfterARevocation() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        let (recorder, gate) = (SpanRecorder(), Gate())
        let transport = CurlTransport()
        let tokens = InstrumentedTransport(
            LaterTransport(base: CurlTransport(), gate: gate), instrument: recorder.tracer)
        let client = gateway.client
        let coordinator = TokenRefreshCoordinator(
            acquirer: ClientCredentials(
                endpoint: try TokenEndpoint(
                    gateway.tokenURL, client: .basic(clientID: client.id, secret: client.secret),
                    transport: tokens)))
        var configuration = GatewayConfiguration()
        configuration.events = recorder.tracer
        configuration.coalescing = nil
        configuration.authentication = .init(
            coordinator: coordinator, scope: CredentialScope([gateway.origin]))
        let engine = GatewayEngine(transport: transport, tokenTransport: tokens, configuration: configuration)
        let request = try HTTPRequest(.get, "\(gateway.origin)/v1/books")
        let first = CallOptions(trace: try caller(5_000))
        #expect(try await engine.send(request, options: first).status == 200)
        gateway.revokeCurrentTokens()
        let calls = try (UInt64(1)...1_000).map { number in
            let options = CallOptions(trace: try caller(number))
            return Task { try await engine.send(request, options: options).status }
        }
        // The second token request is held until all calls wait for it.
        #expect(await isEventually { coordinator.health.map(\.waiting) == [1_000] })
        gate.open()
        for call in calls { #expect(try await call.value == 200) }

        let exchanges = recorder.spans.filter { $0.kind == .client }
        #expect(exchanges.count == gateway.journal.count && recorder.spans.count == exchanges.count)
        let requests = exchanges.filter { $0.parentSpanID == 0 }
        #expect(requests.count == 2 && requests.allSatisfy { $0.attribute("url.full") == gateway.tokenURL })
        let refresh = try #require(requests.last)
        let linked = exchanges.filter { $0.links.map(\.spanID) == [refresh.position.spanID] }
        #expect(linked.count == 1_000 && Set(linked.map(\.parentSpanID)) == Set(1...1_000))
        #expect(linked.allSatisfy { !$0.isError })
        let rejected = exchanges.filter { $0.attribute("http.response.status_code") == "401" }
        #expect(!rejected.isEmpty && rejected.allSatisfy { $0.isError && $0.links.isEmpty })
        #expect(exchanges.count == 3 + 1_000 + rejected.count)
        await transport.shutdown()
        await tokens.shutdown()
    }

    /// Engines of one environment share the transport of token requests: the instrument of each has a span of them, within one
    /// trace. An engine that has ended is not kept.
    @Test(.tags(.concurrent)) func enginesThatShareATokenTransportObserveIt() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        let environment = try GatewayEnvironment([
            "GATEWAY_BASE_URL": gateway.apiURL, "GATEWAY_TOKEN_URL": gateway.tokenURL,
            "GATEWAY_CLIENT_ID": gateway.client.id, "GATEWAY_CLIENT_SECRET": gateway.client.secret.exposed,
        ])
        let recorders = [SpanRecorder(), SpanRecorder()]
        var telemetry: ClientTelemetry? = ClientTelemetry()
        weak let ended = telemetry
        func engine(_ events: (any RequestEventSink)?) throws -> GatewayEngine {
            var configuration = environment.configuration()
            configuration.events = events
            return try configuration.makeEngine()
        }
        // Two engines with one instrument are one observer.
        let sinks = [recorders[0].tracer, recorders[1].tracer, recorders[0].tracer]
        let engines = try sinks.map { try engine($0) } + [try engine(nil)]
        var last: GatewayEngine? = try engine(telemetry)
        (last, telemetry) = (nil, nil)
        #expect(await isEventually { ended == nil } && last == nil)
        let request = try HTTPRequest(.get, "\(gateway.origin)/v1/books")
        #expect(try await engines[3].send(request).status == 200)
        let spans = recorders.map(\.spans)
        #expect(spans.map(\.count) == [1, 1])
        let (outer, inner) = (try #require(spans[0].first), try #require(spans[1].first))
        #expect(outer.attribute("url.full") == gateway.tokenURL && outer.parentSpanID == 0)
        #expect(inner.position.traceID == outer.position.traceID)
        #expect(inner.parentSpanID == outer.position.spanID)
    }

    /// The calls that an event names get the link with their next exchange, or with the span of the call.
    @Test func aWaitIsLinkedOnce() throws {
        let recorder = SpanRecorder()
        let (tracer, origin) = (recorder.tracer, try Origin("https://api.example.com"))
        func tell(_ call: UInt64, _ trace: TraceContext, _ kind: RequestEvent.Kind) {
            tracer.record(
                RequestEvent(
                    callID: call, trace: trace, operation: nil, origin: origin, method: .get, kind: kind))
        }
        let exchange = try caller(50)
        for number in [UInt64(1), 2] { tell(number, try caller(number), .started) }
        var refresh = TokenEvent(
            credential: CredentialIdentity(key: "key", epoch: 1), generation: 1, waitingCalls: [1, 2, 9],
            kind: .refreshFailed(
                FailureCause(.tokenUnavailable), isPermanent: false, attempt: 1, retryAfter: nil))
        tracer.record(refresh)
        refresh.exchange = exchange
        tracer.record(refresh)
        tracer.record(refresh)
        tell(1, try caller(1), .failed(FailureCause(.tokenUnavailable), attempts: 0, duration: .zero))
        tell(2, try caller(2), .cancelled(attempts: 0, duration: .zero))
        #expect(recorder.spans.map { $0.links.map(\.spanID) } == [[50], [50]])
        #expect(recorder.spans.map(\.isError) == [true, false])
    }
}

/// Holds requests back at a gate, but for the first one.
private struct LaterTransport: Transport {
    let base: any Transport
    let gate: Gate
    private let count = Counter()

    private final class Counter: Sendable {
        let value = Locked(0)
    }

    init(base: any Transport, gate: Gate) {
        self.base = base
        self.gate = gate
    }

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        let isFirst = count.value.withLock { count in
            count += 1
            return count == 1
        }
        if !isFirst { await gate.pass() }
        return try await base.send(request, context: context)
    }

    func shutdown() async { await base.shutdown() }
}
