import GatewayCore
import Testing

@testable import GatewayOfflineQueue

/// The store in a file does what the one in memory does.
@Suite(.timeLimit(.minutes(30))) struct QueueStoreConformanceTests {
    @Test func bothStoresDoTheSame() throws {
        var effects: [String: Int] = [:]
        for seed in 1...12 as ClosedRange<UInt64> {
            let fixture = StoreFixture(.file)
            var comparison = QueueStoreComparison(fixture.store, seed: seed)
            let difference = try comparison.run(steps: 300)
            #expect(difference == nil, "seed \(seed)")
            effects.merge(comparison.effects, uniquingKeysWith: +)
        }
        // Operations without an effect compare nothing.
        let names = [
            "superseded", "dropped", "duplicate", "full", "lease", "repeat", "finish", "fenced", "cancel",
            "retry",
            "resume", "expire", "reclaim", "prune", "ambiguous",
        ]
        for name in names { #expect(effects[name, default: 0] > 10, "\(name)") }
    }
}
