import CAllocationCounter
import GatewayClient
import GatewayTelemetry
import GatewayTesting
import Testing

/// What events cost when nobody wants them. `gateway-bench telemetry` measures what counting them costs.
@Suite(.serialized, .enabled(if: allocation_counter_works() != 0)) struct TelemetryAllocationTests {
    private struct Constant: Transport {
        let response: HTTPResponse

        func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse
        {
            response
        }
    }

    /// Sets a field whose text is there, and does nothing else.
    private struct Field: AttemptInstrument {
        let text: String

        func willSend(_ request: inout HTTPRequest, context: RequestContext) -> UInt64 {
            request.fields["traceparent"] = text
            return 1
        }

        func didEnd(_ span: UInt64, _ end: AttemptEnd, context: RequestContext) {}
    }

    /// The least number of allocations of 100 attempts: other threads may allocate, too.
    private func allocations(
        _ instrument: (any AttemptInstrument)? = nil, trace: TraceContext? = nil
    ) async throws -> Int {
        let request = try HTTPRequest(.get, "http://h/x")
        let engine = AttemptEngine(
            transport: Constant(
                response: HTTPResponse(status: 200, exchange: Exchange(origin: request.origin))),
            instrument: instrument)
        var context = RequestContext(operation: "list")
        if let trace { context.trace = trace }
        _ = try await engine.send(request, context: context)
        var least = Int.max
        for _ in 0..<20 {
            allocation_counter_start()
            for _ in 0..<100 { _ = try await engine.send(request, context: context) }
            least = min(least, allocation_counter_stop())
        }
        return least
    }

    @Test func withoutASinkNothingIsAllocated() async throws {
        #expect(try await allocations() == 0)
    }

    /// An attempt whose trace is not recorded takes the request with its field, and the text of that.
    @Test func whatIsNotRecordedAllocatesItsFieldAlone() async throws {
        let trace = try #require(TraceContext(traceIDHigh: 1, traceIDLow: 2, spanID: 3, flags: 2))
        let transport = ScriptedTransport(.status(200))
        let exporter = try OTLPExporter(OTLPConfiguration(collector: "http://c"), transport: transport)
        let field = try await allocations(Field(text: trace.traceparent), trace: trace)
        let traced = try await allocations(ClientTracer(exporter: exporter), trace: trace)
        #expect(field > 0 && traced <= field + 100)
        #expect(exporter.spans?.ended == 0)
    }
}
