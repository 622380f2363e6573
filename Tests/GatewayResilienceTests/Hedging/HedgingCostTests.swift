import CAllocationCounter
import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// What hedging costs a call.
@Suite(.serialized) struct HedgingCostTests {
    /// Replies with the same response, without an allocation.
    private struct Constant: Transport {
        let response: HTTPResponse

        func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse
        {
            response
        }
    }

    /// The least number of allocations of 100 attempts: other threads may allocate, too.
    private func allocations(
        _ hedging: Hedging?, _ method: HTTPMethod = .get, warmUp: Int = 0
    ) async throws -> Int {
        let origin = try Origin("http://h")
        let engine = RetryEngine(
            below: AttemptEngine(
                transport: Constant(response: HTTPResponse(status: 200, exchange: Exchange(origin: origin)))),
            policy: .never, hedging: hedging)
        let request = try HTTPRequest(method, "http://h/x")
        let context = RequestContext(operation: "list")
        for _ in 0..<warmUp { _ = try await engine.send(request, context: context) }
        var least = Int.max
        for _ in 0..<20 {
            allocation_counter_start()
            for _ in 0..<100 { _ = try await engine.send(request, context: context) }
            least = min(least, allocation_counter_stop())
        }
        return least
    }

    @Test(.enabled(if: allocation_counter_works() != 0)) func absentAndIdleHedgingAllocateNothing()
        async throws
    {
        #expect(try await allocations(nil) == 0)
        let hedging = Hedging(.standard, clock: ManualClock())
        // No read.
        #expect(try await allocations(hedging, .post) == 0)
        #expect(hedging.statistics.requests == 0)
    }

    /// A read without enough latencies to compare with.
    @Test(.enabled(if: allocation_counter_works() != 0)) func aReadThatIsOnlyObservedAllocatesNothing()
        async throws
    {
        let origin = try Origin("http://h")
        let request = try HTTPRequest(.get, "http://h/x")
        var least = Int.max
        for _ in 0..<20 {
            let engine = RetryEngine(
                below: AttemptEngine(
                    transport: Constant(
                        response: HTTPResponse(status: 200, exchange: Exchange(origin: origin)))),
                policy: .never, hedging: Hedging(.standard, clock: ManualClock()))
            let context = RequestContext(operation: "list")
            for _ in 0..<5 { _ = try await engine.send(request, context: context) }
            allocation_counter_start()
            for _ in 0..<40 { _ = try await engine.send(request, context: context) }
            least = min(least, allocation_counter_stop())
        }
        #expect(least == 0)
    }

    @Test(.enabled(if: allocation_counter_works() != 0)) func aHedgedReadAllocatesLittle() async throws {
        let hedging = Hedging(.standard, clock: ManualClock())
        let count = try await allocations(hedging, warmUp: 100)
        #expect(hedging.statistics.requests == 2_100)
        // The race, the box of the attempt's context, and its task with two closures and its stack; more without
        // optimization.
        #expect(count <= 1_700)
    }
}
