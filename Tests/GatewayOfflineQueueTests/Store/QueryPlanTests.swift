import GatewayCore
import GatewayQueueTesting
import GatewaySQLite
import Testing

@testable import GatewayOfflineQueue

/// How the queries of a store use its indexes.
@Suite(.timeLimit(.minutes(10))) struct QueryPlanTests {
    /// Every statement that a store has prepared after all operations, with its plan.
    private static let shared = Result { try plans() }

    private static func plans() throws -> [String: [String]] {
        let directory = QueueDirectory()
        let store = SQLiteQueueStore(path: directory.file)
        var comparison = QueueStoreComparison(store, seed: 1)
        #expect(try comparison.run(steps: 200) == nil)
        var limits = QueueLimits(count: 1, policy: .dropOldest)
        _ = try store.insert([.sample { $0.deduplicationKey = "a" }], limits: limits, now: .start)
        limits.policy = .dropLowest
        _ = try store.insert([.sample { $0.deduplicationKey = "b" }], limits: limits, now: .start)
        var selections = [QueueSelection](repeating: QueueSelection(), count: 3)
        selections[0].ids = [QueueEntry.ID(1)]
        selections[1].states = [.poison]
        selections[2].account = QueueAccount("a")
        for selection in selections { _ = try store.entries(selection) }
        return try store.statementPlans()
    }

    /// Only the list of everything reads the table from end to end, and no query sorts. The index of postponed, of leased or of
    /// final entries may be read from end to end: it has no others. What expires next is one of the first of its index.
    @Test func everyQueryUsesAnIndex() throws {
        let plans = try Self.shared.get()
        #expect(plans.count > 35)
        var scans: [String] = []
        for (sql, plan) in plans {
            for step in plan {
                #expect(!step.contains("TEMP B-TREE"), "\(sql)")
                guard step.contains("SCAN entry") || step.contains("SCAN e ") || step == "SCAN e" else {
                    continue
                }
                if ["entry_due", "entry_leased", "entry_final"].contains(where: step.hasSuffix) { continue }
                if sql.hasPrefix("SELECT expires, id"), step.hasSuffix("entry_expires") { continue }
                scans.append(sql)
            }
        }
        #expect(scans.count == 1 && scans.allSatisfy { $0.hasSuffix("FROM entry ORDER BY id") }, "\(scans)")
    }

    @Test func eachHasItsOwnIndex() throws {
        let plans = try Self.shared.get()
        let expected = [
            ("state = 1 AND notBefore <= ?", "entry_due"), ("state = 0 AND repeatEnd <= ?", "entry_repeat"),
            ("state <= 2 AND expires <= ?", "entry_expires"), ("SELECT min(notBefore)", "entry_due"),
            ("WHERE state >= 6 AND changed < ?", "entry_final"), ("WHERE keyDigest = ?", "entry_key"),
            ("FROM entry e WHERE", "entry_state"), ("FROM entry e WHERE", "entry_ordering"),
            ("state = 5 AND owner = ?", "entry_leased"), ("SELECT owner", "entry_leased"),
            ("AND firstSent IS NULL ORDER BY", "entry_state"),
            ("deduplication = ? AND account", "entry_deduplication"),
            ("account = ? AND state = 2", "entry_account"),
        ]
        for (query, index) in expected {
            let found = plans.filter { $0.key.split(separator: "\n").joined(separator: " ").contains(query) }
            #expect(!found.isEmpty, "\(query)")
            for (sql, plan) in found { #expect(plan.contains { $0.contains(index) }, "\(sql): \(plan)") }
        }
    }
}
