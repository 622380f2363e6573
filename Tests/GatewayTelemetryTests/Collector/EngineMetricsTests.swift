import GatewayClient
import GatewayTesting
import Testing

@testable import GatewayTelemetry

/// The collector as the sink of an engine.
@Suite struct EngineMetricsTests {
    private let clock = ManualClock()

    private func engine(
        _ events: any RequestEventSink, _ change: (inout AsyncRequestEngine.Configuration) -> Void = { _ in },
        _ script: @escaping ScriptedTransport.Script
    ) -> AsyncRequestEngine {
        var configuration = AsyncRequestEngine.Configuration()
        configuration.clock = clock
        configuration.events = events
        configuration.retry.policy = ExponentialRetryPolicy(
            maximumAttempts: 3, backoff: .immediate, jitter: .proportional(0))
        change(&configuration)
        return AsyncRequestEngine(transport: ScriptedTransport(script), configuration: configuration)
    }

    @Test func eachAttemptThatWasSentIsARequest() async throws {
        let collector = RequestMetricsCollector(clock: clock)
        let engine = engine(collector) { [clock] _, index in
            clock.advance(by: .milliseconds(30))
            return .status(index == 0 ? 503 : 200)
        }
        let trace = try #require(TraceContext(traceIDHigh: 1, traceIDLow: 2, spanID: 3, flags: 1))
        var options = CallOptions()
        options.trace = trace
        _ = try await engine.send(
            try HTTPRequest(.get, "http://127.0.0.1:1/x"),
            context: RequestContext(options: options, operation: "read", clock: clock))
        let state = collector.copy()
        #expect(state.requests.entries.map(\.key.outcome) == [.status(503), .status(200)])
        #expect(state.requests.entries.map(\.value.histogram.sum) == [.milliseconds(30), .milliseconds(30)])
        #expect(state.requests.entries.allSatisfy { $0.value.exemplars.first?.traceIDLow == 2 })
        #expect(state.calls.entries.map(\.value.histogram.sum) == [.milliseconds(60)])
        #expect(state.calls.entries.map(\.key.operation) == ["read"])
        #expect(state.attempts.entries.flatMap { $0.value.sent.map(\.reason) } == [.first, .retry])
        #expect(state.attempts.entries.map(\.value.active) == [0])
        let metrics = collector.snapshot()
        #expect(metrics.retries == 1 && metrics.succeeded == 1 && metrics.inProgress == 0)
    }

    /// The exemplar of a request has the span of its exchange, that of a call the call's span.
    @Test func exemplarsHaveTheSpansOfSampledTraces() async throws {
        let recorder = SpanRecorder { $0.sampler = TraceSampler.alwaysOn.parentBased }
        let collector = RequestMetricsCollector(clock: recorder.clock)
        let telemetry = ClientTelemetry(metrics: collector, tracer: recorder.tracer)
        let engine = recorder.engine(ScriptedTransport(.status(200))) { $0.events = telemetry }
        let request = try HTTPRequest(.get, "http://127.0.0.1:1/x")
        let unsampled = TraceContext(traceIDHigh: 1, traceIDLow: 2, spanID: 3, flags: 2)
        _ = try await engine.send(request, options: CallOptions(trace: unsampled))
        let exemplars = {
            let state = collector.copy()
            return [state.requests, state.calls].map {
                $0.entries.flatMap { $0.value.exemplars.map(\.spanID) }
            }
        }
        #expect(exemplars() == [[], []])
        _ = try await engine.send(request)
        #expect(recorder.spans.map(\.kind) == [.client, .internal])
        #expect(exemplars() == recorder.spans.map { [$0.position.spanID] })
    }

    @Test func anAttemptThatWasRejectedIsNoRequest() async throws {
        let collector = RequestMetricsCollector(clock: clock)
        let registry = try CircuitBreakerRegistry(clock: clock)
        let engine = engine(collector, { $0.protection.circuitBreakers = registry }) { _, _ in .status(200) }
        let origin = try Origin("http://127.0.0.1:1")
        registry.breaker(for: .host(origin)).isolate()
        await #expect(throws: NetworkError.self) {
            try await engine.send(
                try HTTPRequest(.get, "http://127.0.0.1:1/x"), context: RequestContext(clock: clock))
        }
        #expect(collector.copy().requests.count == 0)
        #expect(collector.copy().attempts.entries.map(\.value.active) == [0])
        #expect(collector.snapshot().failed == 1)
    }

    @Test func aRequestThatFailedWhileItWasSentIsARequest() async throws {
        let collector = RequestMetricsCollector(clock: clock)
        let engine = engine(collector) { [clock] _, _ in
            clock.advance(by: .milliseconds(5))
            return .failure(NetworkError(.connectionRefused, "refused"))
        }
        await #expect(throws: NetworkError.self) {
            try await engine.send(
                try HTTPRequest(.get, "http://127.0.0.1:1/x"), context: RequestContext(clock: clock))
        }
        let entries = collector.copy().requests.entries
        #expect(entries.map(\.key.outcome) == [.error("connection_refused")])
        #expect(entries.map(\.value.histogram.count) == [3])
        #expect(entries.map(\.value.histogram.sum) == [.milliseconds(15)])
    }
}
