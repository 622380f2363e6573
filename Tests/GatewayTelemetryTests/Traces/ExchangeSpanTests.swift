import GatewayClient
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayTelemetry

/// The spans of exchanges.
@Suite struct ExchangeSpanTests {
    private let caller = TraceContext(
        traceIDHigh: 1, traceIDLow: 2, spanID: 3, flags: 1, state: "vendor=1")

    private func request(_ method: HTTPMethod = .get) throws -> HTTPRequest {
        try HTTPRequest(method, "http://127.0.0.1:1/books/7?page=2&token=x")
    }

    /// Two exchanges of a call whose caller has a span: two spans, and none around them.
    @Test func eachExchangeIsASpanOfTheCaller() async throws {
        let recorder = SpanRecorder()
        let clock = recorder.clock
        let transport = ScriptedTransport { _, index in
            clock.advance(by: .milliseconds(30))
            return .status(index == 0 ? 503 : 200)
        }
        let engine = recorder.engine(transport)
        let options = CallOptions(trace: caller)
        let operation = Operation("readBook", method: .get, template: "/books/{id}")
        _ = try await engine.send(request(), options: options, operation: operation)
        let spans = recorder.spans
        #expect(spans.count == 2 && spans.allSatisfy { $0.kind == .client && $0.parentSpanID == 3 })
        #expect(spans.allSatisfy { $0.position.traceIDHigh == 1 && $0.position.traceIDLow == 2 })
        #expect(spans.allSatisfy { $0.name == "GET /books/{id}" && !$0.hasLocalParent })
        #expect(spans.allSatisfy { $0.endNanoseconds - $0.startNanoseconds == 30_000_000 })
        #expect(spans.map(\.isError) == [true, false])
        #expect(spans.map { $0.attribute("http.request.resend_count") } == [nil, "1"])
        #expect(spans.map { $0.attribute("gateway.attempt.reason") } == [nil, "retry"])
        #expect(spans.map { $0.attribute("http.response.status_code") } == ["503", "200"])
        #expect(spans.map { $0.attribute("error.type") } == ["503", nil])
        for (key, value) in [
            "http.request.method": "GET", "server.address": "127.0.0.1", "server.port": "1",
            "url.full": "http://127.0.0.1:1/books/7?page=REDACTED&token=REDACTED",
            "url.template": "/books/{id}", "gateway.operation": "readBook",
        ] {
            #expect(spans.allSatisfy { $0.attribute(key) == value }, "\(key)")
        }
        // Each exchange carries its own span.
        let sent = transport.requests.map { $0.fields["traceparent"] }
        #expect(sent == spans.map { $0.position.traceparent } && Set(sent).count == 2)
        #expect(transport.requests.allSatisfy { $0.fields["tracestate"] == "vendor=1" })
    }

    /// Span, metric and event of an exchange take one reading of the clock at its end.
    @Test(arguments: [false, true]) func theDurationIsThatOfTheMetric(fails: Bool) async throws {
        let recorder = SpanRecorder()
        let collector = RequestMetricsCollector(clock: recorder.clock)
        let transport = ScriptedTransport(
            fails ? .failure(NetworkError(.connectionLost, "lost")) : .status(200))
        let engine = recorder.engine(transport) {
            $0.clock = TickingClock()
            $0.retry.policy = .never
            $0.events = ClientTelemetry(metrics: collector, tracer: recorder.tracer)
        }
        _ = try? await engine.send(request(), options: CallOptions(trace: caller))
        let spans = recorder.spans.filter { $0.kind == .client }
        let durations = collector.copy().requests.entries.map(\.value.histogram.nanoseconds)
        #expect(spans.map { $0.endNanoseconds - $0.startNanoseconds } == durations)
        #expect(durations.count == 1 && durations.allSatisfy { $0 > 0 })
    }

    @Test func aCallWithoutACallerIsTheRoot() async throws {
        let recorder = SpanRecorder()
        _ = try await recorder.engine(ScriptedTransport(.status(200))).send(request())
        let spans = recorder.spans
        #expect(spans.map(\.kind) == [.client, .internal] && spans.map(\.name) == ["GET", "gateway.call"])
        let (exchange, call) = (try #require(spans.first), try #require(spans.last))
        #expect(call.parentSpanID == 0 && exchange.parentSpanID == call.position.spanID)
        #expect(exchange.hasLocalParent && !call.hasLocalParent)
        #expect(exchange.position.traceID == call.position.traceID && call.position.flags == 3)
        #expect(!call.attributes.contains { $0.key.hasPrefix("http.") })
    }

    @Test func eachCallHasASpanByOption() async throws {
        let recorder = SpanRecorder { $0.recordsEveryCall = true }
        let engine = recorder.engine(ScriptedTransport(.status(200)))
        _ = try await engine.send(request(), options: CallOptions(trace: caller))
        let spans = recorder.spans
        #expect(spans.map(\.kind) == [.client, .internal])
        #expect(spans.last?.parentSpanID == 3)
        #expect(spans.first?.parentSpanID == spans.last?.position.spanID)
    }

    @Test func whatIsNotSampledIsNotRecorded() async throws {
        for sampler in [TraceSampler.alwaysOff, TraceSampler.alwaysOn.parentBased] {
            let recorder = SpanRecorder { $0.sampler = sampler }
            let transport = ScriptedTransport(.status(503), .status(200))
            let unsampled = TraceContext(traceIDHigh: 1, traceIDLow: 2, spanID: 3, flags: 2)
            _ = try await recorder.engine(transport).send(request(), options: CallOptions(trace: unsampled))
            #expect(recorder.spans.isEmpty)
            #expect(recorder.tracer.state.withLock { $0.calls.isEmpty && $0.exchanges.isEmpty })
            // The decision goes with each request.
            let flags = transport.requests.map { $0.fields["traceparent"]?.suffix(3) }
            #expect(flags == ["-02", "-02"])
        }
    }

    @Test func cancellationIsNoError() async throws {
        let recorder = SpanRecorder()
        let gate = Gate()
        let transport = ScriptedTransport { _, _ in
            await gate.pass()
            return .status(200)
        }
        let engine = recorder.engine(transport)
        let task = Task { try await engine.send(request()) }
        await gate.waitForArrivals(1)
        task.cancel()
        gate.open()
        await #expect(throws: NetworkError.self) { try await task.value }
        let spans = recorder.spans
        #expect(spans.map(\.kind) == [.client, .internal])
        #expect(spans.allSatisfy { !$0.isError && $0.attribute("error.type") == nil })
    }

    @Test func anErrorHasItsCode() async throws {
        let recorder = SpanRecorder()
        let error = NetworkError(.connectionRefused, "refused", phase: .connect)
        let engine = recorder.engine(ScriptedTransport(.failure(error))) { $0.retry.policy = .never }
        _ = try? await engine.send(request(HTTPMethod("BREW")), options: CallOptions(trace: caller))
        let span = try #require(recorder.spans.first)
        #expect(recorder.spans.count == 1 && span.isError && span.name == "HTTP")
        #expect(span.attribute("error.type") == "connection_refused")
        #expect(span.attribute("gateway.phase") == "connect")
        #expect(span.attribute("http.request.method") == "_OTHER")
        #expect(span.attribute("http.request.method_original") == "BREW")
        #expect(span.attribute("http.response.status_code") == nil)
        _ = try? await engine.send(request())
        let call = try #require(recorder.spans.last)
        #expect(recorder.spans.count == 3 && call.kind == .internal && call.isError)
        #expect(call.attribute("error.type") == "connection_refused")
        #expect(call.attribute("gateway.phase") == "connect")
        #expect(call.attribute("gateway.failed_origin") == nil)
    }

    /// Nothing was sent: no exchange, and a span of the call.
    @Test func whatIsRejectedHereIsACall() async throws {
        let recorder = SpanRecorder()
        let registry = try CircuitBreakerRegistry(clock: recorder.clock)
        registry.breaker(for: .host(try Origin("http://127.0.0.1:1"))).isolate()
        let engine = recorder.engine(ScriptedTransport(.status(200))) {
            $0.protection.circuitBreakers = registry
        }
        _ = try? await engine.send(request(), options: CallOptions(trace: caller))
        let span = try #require(recorder.spans.first)
        #expect(recorder.spans.count == 1 && span.kind == .internal && span.parentSpanID == 3)
        #expect(span.isError && span.attribute("error.type") == "circuit_open")
        #expect(recorder.tracer.state.withLock { $0.calls.isEmpty && $0.exchanges.isEmpty })
    }

    /// A failure in the transport's queue is no exchange either.
    @Test func whatTheTransportDidNotSendIsNoExchange() async throws {
        let recorder = SpanRecorder()
        let error = NetworkError(.overloaded, "full", phase: .queue)
        let engine = recorder.engine(ScriptedTransport(.failure(error), .status(200)))
        _ = try? await engine.send(request(), options: CallOptions(trace: caller))
        #expect(recorder.spans.map(\.kind).filter { $0 == .client }.count <= 1)
        #expect(recorder.spans.allSatisfy { $0.attribute("http.request.resend_count") == nil })
        #expect(recorder.tracer.state.withLock { $0.exchanges.isEmpty })
    }

    /// The exchange of a stream is not over when its span ends: the transport gives the timings with the header fields.
    @Test func aStreamHasPhases() async throws {
        struct Streaming: Transport {
            func send(
                _ request: HTTPRequest, context: RequestContext
            ) async throws(NetworkError) -> HTTPResponse {
                var timings = ExchangeTimings()
                timings.connect = .milliseconds(2)
                timings.firstByte = .milliseconds(5)
                var exchange = Exchange(origin: request.origin)
                if context.isObserved(as: .headTimings) { exchange.headTimings = HeadTimings(timings) }
                return HTTPResponse(status: 200, exchange: exchange)
            }
        }
        for recordsPhases in [true, false] {
            let recorder = SpanRecorder { $0.recordsPhases = recordsPhases }
            _ = try await recorder.engine(Streaming()).send(request(), options: CallOptions(trace: caller))
            let names = recorder.spans.flatMap { $0.events.map(\.name) }
            #expect(names == (recordsPhases ? ["gateway.connect", "gateway.first_byte"] : []))
        }
    }

    /// A transport reads the rest of a response that is given up, so that its connection is kept: the span has ended with the
    /// header fields, or with the cancellation, and what is told of the exchange afterwards changes nothing.
    @Test(arguments: [false, true]) func aSpanNeverEndsInADrain(isCancelled: Bool) async throws {
        let recorder = SpanRecorder { $0.recordsPhases = true }
        let (clock, transport) = (recorder.clock, Draining(recorder.clock, isCancelled: isCancelled))
        let context = RequestContext(options: CallOptions(trace: caller), response: .stream, clock: clock)
        let request = try request()
        let response = try? await recorder.engine(transport).send(request, context: context)
        #expect((response == nil) == isCancelled)
        let ended = recorder.spans
        #expect(ended.map(\.kind) == [.client] && ended.allSatisfy { !$0.isError })
        #expect(ended.map { $0.endNanoseconds - $0.startNanoseconds } == [30_000_000])
        clock.advance(by: .seconds(3_600))
        response?.body.discard()
        let observed = try #require(transport.context.withLock { $0 })
        observed.record(.exchanged(ExchangeTimings()), for: request, as: .exchanges)
        #expect(recorder.spans.map(\.position) == ended.map(\.position))
        #expect(recorder.spans.map(\.endNanoseconds) == ended.map(\.endNanoseconds))
        #expect(recorder.tracer.state.withLock { $0.calls.isEmpty && $0.exchanges.isEmpty })
    }

    /// The header fields were received, and the content fails: the span and the metric have the status and the error.
    @Test(.tags(.concurrent)) func aBodyThatFailsHasItsStatus() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        gateway.route(.get, "/large") { (_: EmbeddedGateway.Request) -> EmbeddedGateway.Reply in
            .text(String(repeating: "x", count: 100))
        }
        let (recorder, transport) = (SpanRecorder(), CurlTransport())
        let telemetry = ClientTelemetry(tracer: recorder.tracer)
        let engine = recorder.engine(transport) { $0.events = telemetry }
        let request = try HTTPRequest(.get, "\(gateway.origin)/large")
        let error = await #expect(throws: NetworkError.self) {
            try await engine.send(request, options: CallOptions(responseLimit: 10))
        }
        #expect(error?.code == .responseTooLarge && error?.status == nil)
        let exchange = try #require(recorder.spans.first { $0.kind == .client })
        #expect(exchange.attribute("http.response.status_code") == "200" && exchange.isError)
        #expect(exchange.attribute("error.type") == error?.code.name)
        let metric = await telemetry.metrics.exportSnapshot().families.first {
            $0.instrument == .requestDuration
        }
        let labels = metric?.points.first?.labels.map { "\($0.attribute)=\($0.value)" } ?? []
        #expect(labels.contains("http.response.status_code=200"))
        await transport.shutdown()
    }

    /// Metrics alone record no span, so that there is none to be a parent: each attempt has the fields of the caller.
    @Test func withoutATracerTheCallerIsPassedOn() async throws {
        let transport = ScriptedTransport(.status(503), .status(200))
        let caller = try #require(
            TraceContext(
                traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", tracestate: ["a=1"]))
        let engine = SpanRecorder().engine(transport) { $0.events = ClientTelemetry() }
        _ = try await engine.send(request(), options: CallOptions(trace: caller))
        #expect(
            transport.requests.map { $0.fields["traceparent"] } == [caller.traceparent, caller.traceparent])
        #expect(transport.requests.map { $0.fields["tracestate"] } == ["a=1", "a=1"])
    }

    @Test func aClockThatIsSetBackGivesNoNegativeDuration() async throws {
        let recorder = SpanRecorder()
        let clock = recorder.clock
        let transport = ScriptedTransport { _, _ in
            clock.advance(by: .seconds(2))
            clock.setUnixTime(.seconds(100))
            return .status(200)
        }
        _ = try await recorder.engine(transport).send(request())
        #expect(recorder.spans.count == 2)
        for span in recorder.spans {
            #expect(span.endNanoseconds == 100_000_000_000 && span.startNanoseconds == 98_000_000_000)
        }
    }
}

/// Each reading is a millisecond later than the one before.
private final class TickingClock: GatewayClock {
    private let clock = ManualClock()

    var now: ContinuousClock.Instant {
        clock.advance(by: .milliseconds(1))
        return clock.now
    }

    var unixTime: Duration { clock.unixTime }

    func sleep(until instant: ContinuousClock.Instant) async throws(CancellationError) {
        try await clock.sleep(until: instant)
    }
}

/// Answers after 30 ms with a body that does not end, or as if its caller had given up.
private final class Draining: Transport {
    /// That of the last request.
    let context = Locked<RequestContext?>(nil)
    private let clock: ManualClock
    private let isCancelled: Bool
    private let body = AsyncThrowingStream<HTTPBody.Chunk, any Error>.makeStream()

    init(_ clock: ManualClock, isCancelled: Bool) {
        self.clock = clock
        self.isCancelled = isCancelled
    }

    func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse {
        self.context.withLock { $0 = context }
        clock.advance(by: .milliseconds(30))
        if isCancelled {
            throw NetworkError(.cancelled, "The task was cancelled.", origin: request.origin, attempts: 1)
        }
        return HTTPResponse(
            status: 200, body: .stream(body.stream), exchange: Exchange(origin: request.origin))
    }
}
