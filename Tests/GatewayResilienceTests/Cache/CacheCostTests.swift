import CAllocationCounter
import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// What the cache costs a call.
@Suite(.serialized) struct CacheCostTests {
    /// Replies with the same response, without an allocation.
    private struct Constant: Transport {
        let response: HTTPResponse

        func send(_ request: HTTPRequest, context: RequestContext) async throws(NetworkError) -> HTTPResponse
        {
            response
        }
    }

    /// Validates a response for as long as a gate is closed.
    private final class Validation: RequestEngine {
        let gate: Gate
        let services = EngineServices()

        init(gate: Gate) { self.gate = gate }

        func send(
            _ request: HTTPRequest, context: consuming RequestContext
        ) async throws(NetworkError) -> HTTPResponse {
            await gate.pass()
            throw NetworkError(.closed, "closed", origin: request.origin)
        }
    }

    /// The least number of allocations of 100 calls: other threads may allocate, too.
    private func allocations(
        _ cache: HTTPCache?, _ freshness: String = "max-age=3600"
    ) async throws -> Int {
        let gate = Gate()
        let (reentry, top) = (EngineReentry(), Validation(gate: gate))
        reentry.attach(top)
        defer {
            gate.open()
            withExtendedLifetime(top) {}
        }
        let origin = try Origin("http://h")
        let response = HTTPResponse(
            status: 200, fields: ["Cache-Control": freshness, .contentType: "text/plain"],
            body: .bytes(Array("hello".utf8)), exchange: Exchange(origin: origin))
        let engine = CacheEngine(
            below: AttemptEngine(transport: Constant(response: response)), cache: cache)
        let request = try HTTPRequest(.get, "http://h/x")
        var context = RequestContext(operation: "list")
        context.enter(deadline: nil, events: nil, reentry: reentry)
        _ = try await engine.send(request, context: context)
        // A stale response is validated from its second use on.
        _ = try await engine.send(request, context: context)
        var least = Int.max
        for _ in 0..<20 {
            allocation_counter_start()
            for _ in 0..<100 { _ = try await engine.send(request, context: context) }
            least = min(least, allocation_counter_stop())
        }
        return least
    }

    @Test(.enabled(if: allocation_counter_works() != 0)) func anAbsentCacheAllocatesNothing() async throws {
        #expect(try await allocations(nil) == 0)
    }

    @Test(.enabled(if: allocation_counter_works() != 0)) func aHitAllocatesLittle() async throws {
        let count = try await allocations(HTTPCache())
        #expect(count <= 100 * 24, "\(count)")
    }

    @Test(.enabled(if: allocation_counter_works() != 0)) func aStaleHitAllocatesLittleMoreThanAHit()
        async throws
    {
        let hit = try await allocations(HTTPCache())
        let stale = try await allocations(HTTPCache(), "max-age=0, stale-while-revalidate=3600")
        #expect(stale <= hit + 100 * 4, "\(stale) and \(hit)")
    }
}
