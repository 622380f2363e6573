import GatewayCore
import GatewayQueueTesting
import GatewayTesting
import Testing

@testable import GatewayOfflineQueue

/// Both stores do what every store must do, and the suite finds stores that do not.
@Suite(.timeLimit(.minutes(30))) struct QueueStoreConformanceTests {
    @Test func theStoreInMemoryConforms() {
        #expect(QueueStoreConformance(rounds: 1) { MemoryQueueStore() }.failures() == [])
    }

    @Test func theStoreInAFileConforms() {
        let directories = Locked<[QueueDirectory]>([])
        let suite = QueueStoreConformance(rounds: 6) {
            let directory = QueueDirectory()
            directories.withLock { $0.append(directory) }
            return SQLiteQueueStore(path: directory.file)
        }
        #expect(suite.failures() == [])
    }

    /// Operations without an effect compare nothing.
    @Test func theComparisonTriesEverything() throws {
        var effects: [String: Int] = [:]
        for seed in 1...12 as ClosedRange<UInt64> {
            var comparison = QueueStoreComparison(MemoryQueueStore(), seed: seed)
            #expect(try comparison.run(steps: 300) == nil)
            effects.merge(comparison.effects, uniquingKeysWith: +)
        }
        let names = [
            "superseded", "dropped", "duplicate", "full", "lease", "repeat", "finish", "fenced", "cancel",
            "retry", "resume", "expire", "reclaim", "prune", "ambiguous",
        ]
        for name in names { #expect(effects[name, default: 0] > 10, "\(name)") }
    }

    /// Each check finds the store that is wrong in what it checks.
    @Test(arguments: [
        (BrokenStore.Fault.otherBytes, "same bytes"), (.completesForOthers, "fenced completion"),
        (.leasesBeforeItEnds, "exchange"),
        (.forgetsOrder, "order by key"), (.repeatsForEver, "ambiguous"), (.believesTheClock, "clock behind"),
        (.expiresByTheClock, "clock ahead"), (.leasesExpired, "expired"), (.neverParks, "parked account"),
        (.forgetsKeys, "duplicates"), (.hasNoLimits, "limits"), (.cancelsTwice, "cancel once"),
        (.neverAges, "ageing"), (.forgetsWhatIsDue, "random operations"), (.countsWrong, "random operations"),
    ])
    func aBrokenStoreIsFound(fault: BrokenStore.Fault, check: String) {
        let failures = QueueStoreConformance(rounds: 2) { BrokenStore(fault) }.failures()
        #expect(failures.contains { $0.hasPrefix(check + ":") }, "\(failures)")
    }

    @Test func aStoreThatThrowsIsFound() {
        let failures = QueueStoreConformance(rounds: 1) {
            SQLiteQueueStore(path: "/nonexistent/queue.sqlite")
        }.failures()
        #expect(
            failures.count == 15 && failures.allSatisfy { $0.hasSuffix("threw unavailable") }, "\(failures)")
    }
}
