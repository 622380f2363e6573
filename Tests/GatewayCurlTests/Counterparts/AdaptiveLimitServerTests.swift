import GatewayCore
import GatewayCurl
import GatewayResilience
import GatewayTesting
import TestTiers
import Testing

/// A bulkhead with an adaptive limit in front of haproxy, which lets 16 requests at a time through to a server that takes
/// 100 ms for each.
@Suite(.serialized, .realTime("statistics of 15 s; AdaptiveLimitTests has the simulation"))
struct AdaptiveLimitServerTests {
    /// The limits that were seen.
    private final class Limits: Sendable {
        private let values = Locked<[Int]>([])
        var sorted: [Int] { values.withLock { $0.sorted() } }
        func note(_ limit: Int) { values.withLock { $0.append(limit) } }
    }

    /// Settles within 10 s; stays for 5 s, and for ten minutes in scripts/soak.sh.
    @Test(.enabled(if: Counterparts.limited != nil, "scripts/test.sh starts haproxy"))
    func settlesNearTheServersCapacity() async throws {
        let url = try #require(Counterparts.limited) + "/delay/0.1"
        let request = try HTTPRequest(.get, url)
        let transport = CurlTransport()
        var configuration = AsyncRequestEngine.Configuration()
        configuration.protection.bulkhead = BulkheadPolicy(perOrigin: .adaptive(4...200), inAll: 200)
        configuration.coalescing = nil
        configuration.retry.policy = .never
        let engine = AsyncRequestEngine(transport: transport, configuration: configuration)
        let bulkhead = try #require(engine.bulkhead)
        let limits = Limits()
        let settled = ContinuousClock.now + .seconds(10)
        let seconds = SoakScale.rounds(5)
        let end = settled + .seconds(seconds)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<48 {
                group.addTask {
                    while ContinuousClock.now < end {
                        let response = try await engine.send(request)
                        #expect(response.status == 200)
                        guard ContinuousClock.now >= settled else { continue }
                        limits.note(bulkhead.statistics.origins[request.origin]?.limit ?? 0)
                    }
                }
            }
            try await group.waitForAll()
        }
        await transport.shutdown()
        let seen = limits.sorted
        // At 16 in each 100 ms, a second is 160 calls.
        try #require(seen.count > 50 * seconds)
        let (low, middle) = (seen[seen.count / 50], seen[seen.count / 2])
        let high = seen[seen.count * 49 / 50]
        #expect(low >= 12 && high <= 24, "from \(low) to \(high), all \(seen[0])…\(seen[seen.count - 1])")
        #expect((12...24).contains(middle))
    }
}
