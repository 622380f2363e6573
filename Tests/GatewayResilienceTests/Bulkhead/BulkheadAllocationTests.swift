import CAllocationCounter
import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// What a bulkhead costs a call while there is room.
@Suite(.serialized) struct BulkheadAllocationTests {
    /// Replies with the same response, without an allocation.
    private struct Constant: Transport {
        let response: HTTPResponse

        func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse
        {
            response
        }
    }

    /// The least number of allocations of 100 attempts: other threads may allocate, too.
    private func allocations(_ engine: AttemptEngine, _ context: RequestContext) async throws -> Int {
        let request = try HTTPRequest(.get, "http://h/x")
        var least = Int.max
        for _ in 0..<20 {
            allocation_counter_start()
            for _ in 0..<100 { _ = try await engine.send(request, context: context) }
            least = min(least, allocation_counter_stop())
        }
        return least
    }

    @Test(
        .enabled(if: allocation_counter_works() != 0), arguments: [BulkheadPolicy.mobile, .server],
        [nil, "list"] as [GatewayCore.Operation?])
    func roomAllocatesNothing(policy: BulkheadPolicy, operation: GatewayCore.Operation?) async throws {
        let origin = try Origin("http://h")
        let transport = Constant(response: HTTPResponse(status: 200, exchange: Exchange(origin: origin)))
        let context = RequestContext(operation: operation)
        let bulkhead = try Bulkhead(policy: policy)
        let limited = try await allocations(
            AttemptEngine(transport: transport, admission: bulkhead), context)
        #expect(limited == 0)
        #expect(MemoryLayout<BulkheadPermit>.size <= 3 * MemoryLayout<Int>.size)
        // With a circuit breaker, one object holds both permits.
        let registry = try CircuitBreakerRegistry()
        let guarded = try await allocations(
            AttemptEngine(
                transport: transport, admission: CircuitAdmission(registry: registry, inner: bulkhead)),
            context)
        #expect(guarded <= 100)
        #expect(bulkhead.statistics.all.inUse == 0)
    }
}
