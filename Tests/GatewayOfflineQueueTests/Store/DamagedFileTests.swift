import Foundation
import GatewayCore
import GatewayQueueTesting
import GatewaySQLite
import GatewayTesting
import Testing

@testable import GatewayOfflineQueue

/// Files whose bytes have changed, or that are cut off.
@Suite(.timeLimit(.minutes(30))) struct DamagedFileTests {
    /// A file with entries in many states.
    private struct Sample {
        var bytes: [UInt8] = []
        var entries: [QueueEntry.ID: QueueEntry] = [:]
        var items: [QueueEntry.ID: QueueItem] = [:]
        /// The pages that the row of an entry is on, and those that its body is on.
        var pages: [QueueEntry.ID: Set<Int>] = [:]
        var bodyPages: [QueueEntry.ID: Set<Int>] = [:]
        /// The page that says which entries are being sent.
        var metaPage = 0

        /// An entry as it is in a file that has replaced a damaged one.
        func recovered(_ entry: QueueEntry, _ damaged: Set<Int>) -> QueueEntry {
            guard damaged.contains(metaPage), entry.state == .waiting else { return entry }
            // It may have been sent at any time since it was stored.
            var entry = entry
            entry.firstSent = entry.firstSent ?? entry.created
            entry.attempts += 1
            return entry
        }
    }

    private static let pageBytes = QueueSchema.pageBytes

    private static func make() throws -> Sample {
        let directory = QueueDirectory()
        let store = SQLiteQueueStore(path: directory.file)
        var sample = Sample()
        for number in 0..<120 {
            let size = number % 10 == 3 ? 9_000 : 20 + number * 7
            let item = try QueueItem.sample("\(number) " + String(repeating: "b", count: size)) {
                $0.account = number % 3 == 1 ? QueueAccount("account-\(number % 2)") : nil
                $0.deduplicationKey = number % 4 == 0 ? "same-\(number)" : nil
                $0.priority = CallPriority.all[number % CallPriority.all.count]
            }
            sample.items[try store.add(item)[0]] = item
        }
        let completions = try store.lease(24).enumerated().compactMap { index, lease -> QueueCompletion? in
            let results: [QueueCompletion.Result] = [
                .done, .released, .poison, .postponed(until: .at(4_000)), .parked,
            ]
            guard index % 6 != 5 else { return nil }
            let result = lease.item.account == nil ? results[index % 6] : .parked
            return QueueCompletion(lease, result, reason: "\(500 + index)")
        }
        _ = try store.finish(completions, now: .at(5))
        for entry in try store.entries(QueueSelection()) { sample.entries[entry.id] = entry }
        store.close()
        sample.bytes = Array(try Data(contentsOf: URL(fileURLWithPath: directory.file)))
        let bytes = sample.bytes
        for number in 1...bytes.count / pageBytes {
            var touched: Set<Int> = [number]
            let page = { (number: Int) -> [UInt8]? in
                touched.insert(number)
                let start = (number - 1) * pageBytes
                return start + pageBytes <= bytes.count ? Array(bytes[start..<start + pageBytes]) : nil
            }
            guard let content = page(number), let leaf = SQLitePage(content, number: number) else { continue }
            for row in leaf.rows(page) {
                let id = QueueEntry.ID(row.id)
                if row.columns.count == 1, case .bytes = row.columns[0] { sample.metaPage = number }
                if row.columns.count == 21 { sample.pages[id] = touched }
                if row.columns.count == 2, case .bytes = row.columns[1] { sample.bodyPages[id] = touched }
            }
        }
        return sample
    }

    /// The reader of pages finds what SQLite finds.
    @Test func thePagesHaveAllRows() throws {
        let sample = try Self.make()
        #expect(sample.entries.count == 120)
        #expect(Set(sample.pages.keys) == Set(sample.entries.keys))
        let active = sample.entries.values.filter { !$0.state.isFinal }.map(\.id)
        #expect(Set(sample.bodyPages.keys) == Set(active))
        #expect(Set(sample.entries.values.map(\.state)).count == 6)
    }

    /// queue.damaged-file
    @Test func rowsOnIntactPagesAreRecovered() throws {
        let sample = try Self.make()
        let pageBytes = Self.pageBytes
        var (recovered, lost, sound) = (0, 0, 0)
        let source = SeededRandomSource(seed: TestSeed.value(1))
        func random(_ bound: Int) -> Int { source.int(in: 0..<bound) }
        let rounds = SoakScale.rounds(34)
        for round in 0..<rounds {
            let directory = QueueDirectory()
            var bytes = sample.bytes
            var damaged: Set<Int> = []
            switch round % 5 {
            case 0:
                let length = 100 + random(bytes.count - 100)
                damaged = Set((length / pageBytes + 1)...(bytes.count / pageBytes + 1))
                bytes = Array(bytes[..<length])
            case 1:
                // The whole first page, and others.
                for page in [0, random(bytes.count / pageBytes), random(bytes.count / pageBytes)] {
                    for index in page * pageBytes..<(page + 1) * pageBytes {
                        bytes[index] = UInt8(random(256))
                    }
                    damaged.insert(page + 1)
                }
            default:
                for _ in 0...random(8) {
                    // One in three is in the first page.
                    let index = random(random(3) == 0 ? pageBytes : bytes.count)
                    bytes[index] ^= UInt8(1 + random(255))
                    damaged.insert(index / pageBytes + 1)
                }
            }
            try Data(bytes).write(to: URL(fileURLWithPath: directory.file))
            let store = SQLiteQueueStore(path: directory.file)
            do throws(QueueError) {
                if round % 2 == 0 {
                    _ = try? store.lease(QueueLeaseRequest(count: 0, owner: QueueOwner(2), now: .at(5)))
                }
                sound += try store.check() ? 1 : 0
            } catch {
                // The numbers that say whose file it is.
                let isOthers =
                    bytes.count >= 72
                    && (bytes[60..<64] != sample.bytes[60..<64] || bytes[68..<72] != sample.bytes[68..<72])
                #expect(error.code == .unsupportedVersion && isOthers, "round \(round): \(error)")
                continue
            }
            let recoveries = store.takeRecoveries()
            #expect(store.takeRecoveries().isEmpty)
            for recovery in recoveries {
                recovered += recovery.recovered
                lost += recovery.lost ?? 0
                #expect(FileManager.default.fileExists(atPath: recovery.damagedPath))
            }
            if let first = recoveries.first, round % 2 == 1 {
                #expect(
                    Array(try Data(contentsOf: URL(fileURLWithPath: first.damagedPath))) == bytes,
                    "round \(round)")
            }
            let found = Dictionary(
                uniqueKeysWithValues: try store.entries(QueueSelection()).map { ($0.id, $0) })
            for (id, entry) in sample.entries where sample.pages[id]?.isDisjoint(with: damaged) == true {
                // A page may be damaged beside its row.
                #expect(
                    found[id] == entry || found[id] == sample.recovered(entry, damaged),
                    "round \(round), entry \(id)")
            }
            // It goes on.
            let new = try store.add(.sample("new"), at: .at(6))
            #expect(new.allSatisfy { sample.entries[$0] == nil })
            let leased = Dictionary(
                uniqueKeysWithValues: try store.lease(200, at: .at(6)).map { ($0.id, $0) })
            for (id, entry) in sample.entries where entry.state == .waiting {
                let pages = sample.pages[id, default: []].union(sample.bodyPages[id, default: []])
                guard pages.isDisjoint(with: damaged) else { continue }
                #expect(leased[id]?.item == sample.items[id], "round \(round), entry \(id)")
            }
            for lease in leased.values where lease.id != new.first {
                #expect(sample.items[lease.id]?.body == lease.item.body, "round \(round): a torn body")
            }
        }
        // A few rounds may all have hit the same.
        #expect(
            rounds < 30 || (recovered > 10 * rounds && lost > rounds / 2), "\(recovered), \(lost), \(sound)")
        #expect(rounds < 300 || sound > 0)
    }

    /// Another store that has the damaged file open goes on in the new one.
    @Test func othersDoNotWriteIntoTheDamagedFile() throws {
        let directory = QueueDirectory()
        let (one, other) = (
            SQLiteQueueStore(path: directory.file, after: QueueEntry.ID(0)),
            SQLiteQueueStore(path: directory.file)
        )
        let ids = try one.add(.sample("1"), .sample("2"))
        #expect(try other.counts() == [.waiting: 2])
        do {
            let connection = try SQLiteConnection(path: directory.file, isReadOnly: false)
            try connection.execute(
                "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET rootpage = 3 WHERE name = 'entry_state'"
            )
        }
        one.close()
        #expect(try !one.check())
        let recovery = try #require(one.takeRecoveries().first)
        #expect(recovery == QueueRecovery(recovered: 2, lost: 0, damagedPath: directory.file + ".damaged-1"))
        #expect(try other.add(.sample("3")) == [QueueEntry.ID(3)])
        #expect(other.takeRecoveries().isEmpty)
        #expect(try one.lease().map(\.id) == ids + [QueueEntry.ID(3)])
        #expect(try one.check() && other.check())
    }

    /// Statements would still be right, and would not do what they should.
    @Test(arguments: [
        "UPDATE meta SET bytes = zeroblob(length(bytes))", "UPDATE meta SET bytes = x''",
        "UPDATE sqlite_schema SET sql = replace(sql, 'INTEGER PRIMARY', 'INTFGER PRIMARY') WHERE name = 'body'",
        "UPDATE sqlite_schema SET sql = replace(sql, '>= 6', '>= 0') WHERE name = 'entry_final'",
    ])
    func changedDataOfTheFileItselfIsDamage(change: String) throws {
        let directory = QueueDirectory()
        let store = SQLiteQueueStore(path: directory.file)
        let ids = try store.add(.sample("1"), .sample("2"))
        store.close()
        do {
            let connection = try SQLiteConnection(path: directory.file, isReadOnly: false)
            try connection.execute("PRAGMA writable_schema = 1")
            try connection.execute(change)
        }
        #expect(try store.lease().map(\.id) == ids)
        #expect(store.takeRecoveries().map(\.recovered) == [2])
    }

    /// A file that somebody removed is made anew: no ticket for a row in a file without a name.
    @Test func aRemovedFileIsMadeAnew() throws {
        let directory = QueueDirectory()
        let store = SQLiteQueueStore(path: directory.file)
        _ = try store.add(.sample())
        try FileManager.default.removeItem(atPath: directory.file)
        _ = try store.add(.sample("2"))
        #expect(try SQLiteQueueStore(path: directory.file).counts() == [.waiting: 1])
    }

    /// queue.damaged-file: a file of zeros, as a crash of the system can leave it, is replaced.
    @Test(arguments: [100, 4_096, 40_960]) func aFileOfZerosIsReplaced(size: Int) throws {
        let directory = QueueDirectory()
        try Data(count: size).write(to: URL(fileURLWithPath: directory.file))
        let store = SQLiteQueueStore(path: directory.file)
        let ids = try store.add(.sample())
        let recovery = QueueRecovery(
            recovered: 0, lost: nil, damagedPath: directory.file + ".damaged-1")
        #expect(store.takeRecoveries() == [recovery])
        #expect(Data(count: size) == (try Data(contentsOf: URL(fileURLWithPath: recovery.damagedPath))))
        #expect(try SQLiteQueueStore(path: directory.file).lease().map(\.id) == ids)
    }

    @Test func filesOfOtherProgramsAreLeftAlone() throws {
        let directory = QueueDirectory()
        let text = Array(String(repeating: "This is not a queue.\n", count: 1_000).utf8)
        try Data(text).write(to: URL(fileURLWithPath: directory.file))
        let store = SQLiteQueueStore(path: directory.file)
        for _ in 0..<2 {
            let error = #expect(throws: QueueError.self) { _ = try store.counts() }
            #expect(error?.code == .corrupt)
        }
        #expect(Array(try Data(contentsOf: URL(fileURLWithPath: directory.file))) == text)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["queue.sqlite"])
    }
}
