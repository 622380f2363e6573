import CAllocationCounter
import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// What a rate gate costs a call.
@Suite(.serialized) struct RateGateAllocationTests {
    /// Replies with the same response, without an allocation.
    private struct Constant: Transport {
        let response: HTTPResponse

        func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse
        {
            response
        }
    }

    /// The least number of allocations of 100 calls: other threads may allocate, too.
    private func allocations(_ gate: RateGate?, _ fields: HTTPFields) async throws -> Int {
        let request = try HTTPRequest(.get, "http://h/x")
        let response = HTTPResponse(status: 200, fields: fields, exchange: Exchange(origin: request.origin))
        let engine = AttemptEngine(
            transport: Constant(response: response), admission: nil, gate: gate, instrument: nil)
        let context = RequestContext()
        var least = Int.max
        for _ in 0..<20 {
            allocation_counter_start()
            for _ in 0..<100 { _ = try await engine.send(request, context: context) }
            least = min(least, allocation_counter_stop())
        }
        return least
    }

    @Test(.enabled(if: allocation_counter_works() != 0))
    func anOpenGateAllocatesNothing() async throws {
        let fields: HTTPFields = [
            "Content-Type": "application/json", "X-Request-ID": "9d2a3a52-3e0c-4b2f", "Date": "now",
            "Retry-After": "9",
        ]
        #expect(try await allocations(nil, fields) == 0)
        let gate = try RateGate()
        #expect(try await allocations(gate, fields) == 0)
        #expect(gate.limits.isEmpty && !gate.mark.isLimiting)
    }
}
