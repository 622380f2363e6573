import CAllocationCounter
import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// What circuit breakers cost a call while all circuits are closed.
@Suite(.serialized) struct CircuitAllocationTests {
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
        .enabled(if: allocation_counter_works() != 0), arguments: [nil, "list"] as [GatewayCore.Operation?])
    func aClosedCircuitAllocatesNothing(operation: GatewayCore.Operation?) async throws {
        let origin = try Origin("http://h")
        let transport = Constant(response: HTTPResponse(status: 200, exchange: Exchange(origin: origin)))
        var policy = CircuitBreakerPolicy.standard
        policy.slowAfter = .seconds(1)
        policy.slowRate = .init(share: 0.5, minimumCalls: 100, window: .seconds(10))
        let registry = try CircuitBreakerRegistry(hosts: policy, operations: policy)
        let context = RequestContext(operation: operation)
        let plain = try await allocations(AttemptEngine(transport: transport), context)
        let guarded = try await allocations(
            AttemptEngine(
                transport: transport, admission: CircuitAdmission(registry: registry, inner: nil)), context)
        #expect(plain == 0 && guarded == 0)
        #expect(registry.states.count == (operation == nil ? 1 : 2))
        #expect(MemoryLayout<CircuitPermit>.size <= 3 * MemoryLayout<Int>.size)
        #expect(MemoryLayout<CircuitBreakerChoice?>.size == MemoryLayout<Int>.size)
    }
}
