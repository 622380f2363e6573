import GatewayCore
import GatewayResilience
import GatewayTesting
import Testing

@Suite struct AmbientTraceTests {
    private let transport = ScriptedTransport(.status(200))
    private let baggage = Baggage(values: ["tenant=7"])

    private func trace(_ low: UInt64) throws -> TraceContext {
        try #require(TraceContext(traceIDHigh: 1, traceIDLow: low, spanID: 9, flags: 1, state: "a=1"))
    }

    private func request() throws -> HTTPRequest { try HTTPRequest(.post, "http://127.0.0.1/x") }

    @Test func callsContinueTheTraceOfTheirTask() async throws {
        let engine = AsyncRequestEngine(transport: transport)
        let (outer, own) = (try trace(2), try trace(3))
        try await withTrace(outer, baggage: baggage) {
            #expect(TraceContext.ambient == outer && Baggage.ambient == baggage)
            _ = try await engine.send(request())
            _ = try await engine.send(request(), options: CallOptions(trace: own))
            try await withTrace(nil) { _ = try await engine.send(request()) }
            async let child = engine.send(request())
            _ = try await child
        }
        #expect(TraceContext.ambient == nil && Baggage.ambient.isEmpty)
        _ = try await engine.send(request())
        // No span is recorded here: the parent of the next one is that of the caller, for each attempt.
        #expect(
            transport.requests.map { $0.fields["traceparent"] } == [
                outer.traceparent, own.traceparent, nil, outer.traceparent, nil,
            ])
        #expect(transport.requests.map { $0.fields["tracestate"] } == ["a=1", "a=1", nil, "a=1", nil])
        #expect(
            transport.requests.map { $0.fields["baggage"] } == [
                "tenant=7", "tenant=7", nil, "tenant=7", nil,
            ])
    }

    @Test func baggageIsSentWithoutATrace() async throws {
        let engine = AsyncRequestEngine(transport: transport)
        try await withTrace(nil, baggage: baggage) { _ = try await engine.send(request()) }
        #expect(transport.requests.first?.fields["baggage"] == "tenant=7")
        #expect(transport.requests.first?.fields["traceparent"] == nil)
    }

    /// The background call of a stale response belongs to no caller.
    @Test func backgroundWorkContinuesNoTrace() async throws {
        let context = try await withTrace(try trace(2), baggage: baggage) {
            var context = RequestContext(options: CallOptions(trace: try trace(2)))
            context.baggage = baggage
            return context.background()
        }
        #expect(context.trace == nil && context.baggage.isEmpty)
    }

    @Test func typedErrorsAreKept() async throws {
        let error = await #expect(throws: NetworkError.self) {
            try await withTrace(nil) { () throws(NetworkError) in throw NetworkError(.closed, "closed") }
        }
        #expect(error?.code == .closed)
    }
}
