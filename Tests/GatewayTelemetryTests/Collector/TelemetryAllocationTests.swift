import CAllocationCounter
import GatewayClient
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

    /// The least number of allocations of 100 attempts: other threads may allocate, too.
    private func allocations(_ events: (any RequestEventSink)?) async throws -> Int {
        let request = try HTTPRequest(.get, "http://h/x")
        let engine = AttemptEngine(
            transport: Constant(
                response: HTTPResponse(status: 200, exchange: Exchange(origin: request.origin))))
        var context = RequestContext(operation: "list")
        context.events = events
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
        #expect(try await allocations(nil) == 0)
    }
}
