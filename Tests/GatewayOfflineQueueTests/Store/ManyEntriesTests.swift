import CSQLite
import GatewayCore
import GatewayQueueTesting
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// A queue with many entries costs what one with few costs.
@Suite(.timeLimit(.minutes(30))) struct ManyEntriesTests {
    private static let limits = QueueLimits(count: .max, bytes: .max)

    private func fill(_ store: SQLiteQueueStore, _ count: Int) throws {
        var left = count
        while left > 0 {
            let size = min(left, 1_024)
            var items: [QueueItem] = []
            for number in 0..<size {
                items.append(
                    try .sample(String(repeating: "x", count: 400)) {
                        $0.account = QueueAccount("account-\(number % 10)")
                        $0.priority = CallPriority.all[number % CallPriority.all.count]
                    })
            }
            _ = try store.insert(items, limits: Self.limits, now: .start)
            left -= size
        }
    }

    /// A transaction of a large queue visits as many pages as one of a small queue, but for the depth of the trees, and so does
    /// the one that opens the file: SQLite's own count of steps is the same on every machine.
    @Test func openingAndUsingItTakesTheSameNumberOfSteps() throws {
        var steps: [[Int]] = []
        for count in [500, SoakScale.rounds(5_000)] {
            let directory = QueueDirectory()
            try fill(SQLiteQueueStore(path: directory.file, after: QueueEntry.ID(0)), count)
            let store = SQLiteQueueStore(path: directory.file)
            var found: [Int] = []
            func measure(_ body: () throws -> Void) throws {
                let before = store.statementSteps()
                try body()
                found.append(store.statementSteps() - before)
            }
            try measure { _ = try store.counts() }
            try measure { _ = try store.insert([.sample()], limits: Self.limits, now: .at(1)) }
            var leases: [QueueLease] = []
            try measure { leases = try store.lease(16, at: .at(2)) }
            #expect(leases.count == 16)
            try measure {
                _ = try store.finish(
                    leases.map { QueueCompletion($0, .postponed(until: .at(50))) }, now: .at(3))
            }
            try measure { _ = try store.lease(1, at: .at(4)) }
            try measure { _ = try store.expire(now: .at(5)) }
            try measure { _ = try store.counts() }
            try measure { _ = try store.outlook() }
            try measure { _ = try store.reclaim(from: [QueueOwner(9)], now: .at(6)) }
            try measure { _ = try store.prune(changedBefore: .at(7)) }
            try measure { _ = try store.entries(QueueSelection(QueueEntry.ID(400))) }
            try measure { _ = try store.cancel(QueueSelection(QueueEntry.ID(300)), now: .at(8)) }
            try measure { _ = try store.retry(QueueEntry.ID(300), now: .at(9)) }
            for policy in [QueueLimits.Policy.dropOldest, .dropLowest] {
                let limits = QueueLimits(count: count, policy: policy)
                try measure {
                    let high = try QueueItem.sample { $0.priority = .critical }
                    _ = try store.insert([high], limits: limits, now: .at(10))
                }
            }
            steps.append(found)
        }
        for (few, many) in zip(steps[0], steps[1]) { #expect(many <= few * 3 / 2 + 50, "\(steps)") }
    }

    /// The limit of the product.
    @Test(.realTime("opens a file of 100,000 entries within 300 ms"))
    func openingALargeFileIsFast() throws {
        let (few, many) = (QueueDirectory(), QueueDirectory())
        try fill(SQLiteQueueStore(path: few.file), 1_000)
        try fill(SQLiteQueueStore(path: many.file), 100_000)
        var memories: [Int] = []
        var opening = Duration.seconds(1_000)
        for directory in [few, many, few, many] {
            let before = Self.memory
            let store = SQLiteQueueStore(path: directory.file)
            opening = min(opening, try ContinuousClock().measure { _ = try store.counts() })
            _ = try store.outlook()
            #expect(try store.lease(16, at: .at(1)).count == 16)
            _ = try store.insert([.sample()], limits: Self.limits, now: .at(1))
            memories.append(Self.memory - before)
            withExtendedLifetime(store) {}
        }
        #expect(memories[3] - memories[2] <= 8 << 20, "\(memories)")
        #expect(opening < .milliseconds(300))
    }

    /// The memory of SQLite, in bytes; the store itself keeps nothing of its entries.
    private static var memory: Int { Int(sqlite3_memory_used()) }
}
