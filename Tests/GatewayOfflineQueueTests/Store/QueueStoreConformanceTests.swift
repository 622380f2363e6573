import GatewayCore
import GatewayQueueTesting
import GatewaySQLite
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// Both stores do what every store must do, and the suite finds stores that do not.
@Suite(.timeLimit(.minutes(30))) struct QueueStoreConformanceTests {
    @Test func theStoreInMemoryConforms() {
        #expect(QueueStoreConformance(rounds: 1) { MemoryQueueStore() }.failures() == [])
    }

    @Test func theStoreInAFileConforms() {
        let directories = Locked<[QueueDirectory]>([])
        let damage: QueueStoreConformance.Damage = { (_, id) throws(QueueError) in
            guard let file = directories.withLock({ $0.last?.file }) else { return }
            do throws(SQLiteError) {
                let connection = try SQLiteConnection(path: file, isReadOnly: false)
                try connection.execute("UPDATE entry SET head = head || x'00' WHERE id = \(id)")
            } catch { throw QueueError(.unavailable, "cannot be damaged") }
        }
        let suite = QueueStoreConformance(rounds: 0, damage: damage) {
            let directory = QueueDirectory()
            directories.withLock { $0.append(directory) }
            return SQLiteQueueStore(path: directory.file)
        }
        #expect(suite.failures() == [])
    }

    /// The one long comparison: random operations have the same results and leave the same entries as in memory. The totals
    /// that limits look at, which are kept and not counted, are those of the rows after whatever was done.
    ///
    /// queue.store, queue.runs, queue.limit
    @Test(.long("300 operations for each seed, in all sizes and with all states of entries"))
    func randomOperationsDoInAFileWhatTheyDoInMemory() throws {
        var effects: [String: Int] = [:]
        var endsInRuns = 0
        // Fewer meet not all that is compared.
        let rounds = max(4, SoakScale.rounds(4))
        let first = TestSeed.value(1)
        for round in 0..<rounds {
            // Numbers that follow each other: the kind of operations depends on them.
            let (directory, seed) = (QueueDirectory(), first &+ UInt64(round))
            let store = SQLiteQueueStore(path: directory.file)
            var comparison = QueueStoreComparison(store, seed: seed)
            #expect(try comparison.run(steps: 300) == nil, "seed \(seed)")
            let statements = try store.statementPlans().keys
            let endsRuns = statements.contains {
                $0.hasPrefix("UPDATE entry SET state = 6") && $0.contains("attempts + 1")
            }
            if endsRuns { endsInRuns += 1 }
            #expect(try store.check(), "seed \(seed)")
            effects.merge(comparison.effects, uniquingKeysWith: +)
        }
        // Operations without an effect compare nothing.
        let names = [
            "superseded", "dropped", "duplicate", "conflict", "full", "lease", "repeat", "finish", "fenced",
            "cancel",
            "retry", "resume", "expire", "reclaim", "prune", "ambiguous",
        ]
        for name in names { #expect(effects[name, default: 0] > rounds / 6, "\(name): \(effects)") }
        #expect(endsInRuns > 0)
    }

    /// Each check finds the store that is wrong in what it checks.
    @Test(arguments: [
        (BrokenStore.Fault.otherBytes, "same bytes"), (.completesForOthers, "fenced completion"),
        (.leasesBeforeItEnds, "exchange"),
        (.forgetsOrder, "order by key"), (.repeatsForEver, "ambiguous"), (.believesTheClock, "clock behind"),
        (.expiresByTheClock, "clock ahead"), (.leasesExpired, "expired"), (.neverParks, "parked account"),
        (.forgetsKeys, "duplicates"), (.hasNoLimits, "limits"), (.cancelsTwice, "cancel once"),
        (.neverAges, "ageing"), (.hidesAmbiguous, "ambiguous"), (.countsAll, "attempts"),
        (.leasesSkipped, "skipped"), (.hidesDamaged, "damaged"), (.forgetsWhatIsDue, "random operations"),
        (.countsWrong, "random operations"),
    ])
    func aBrokenStoreIsFound(fault: BrokenStore.Fault, check: String) {
        let rounds = check == "random operations" ? 1 : 0
        let damage: QueueStoreConformance.Damage = { store, id in (store as? BrokenStore)?.damage(id) }
        let failures = QueueStoreConformance(rounds: rounds, damage: damage) { BrokenStore(fault) }.failures()
        #expect(failures.contains { $0.hasPrefix(check + ":") }, "\(failures)")
    }

    @Test func aStoreThatThrowsIsFound() {
        let failures = QueueStoreConformance(rounds: 1) {
            SQLiteQueueStore(path: "/nonexistent/queue.sqlite")
        }.failures()
        #expect(
            failures.count == 17 && failures.allSatisfy { $0.hasSuffix("threw unavailable") }, "\(failures)")
    }
}
