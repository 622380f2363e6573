import GatewayCore
import Testing

@testable import GatewayOfflineQueue

/// The store in a file does what the one in memory does.
@Suite(.timeLimit(.minutes(5))) struct QueueStoreConformanceTests {
    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func bothStoresDoTheSame(seed: UInt64) throws {
        let fixture = StoreFixture(.file)
        var comparison = QueueStoreComparison(fixture.store, seed: seed)
        let difference = try comparison.run(steps: 400)
        #expect(difference == nil, "seed \(seed)")
        // Operations without an effect compare nothing.
        let names = [
            "superseded", "dropped", "duplicate", "full", "lease", "repeat", "finish", "fenced", "cancel", "retry",
            "resume", "expire", "reclaim", "prune", "ambiguous",
        ]
        for name in names { #expect(comparison.effects[name, default: 0] > 0, "\(name), seed \(seed)") }
    }
}
