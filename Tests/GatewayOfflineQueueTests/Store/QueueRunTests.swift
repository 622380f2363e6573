import Foundation
import GatewayCore
import GatewayQueueTesting
import GatewaySQLite
import GatewayTesting
import Testing

@testable import GatewayOfflineQueue

/// Entries that are leased together, without a change of their rows.
@Suite(.timeLimit(.minutes(10))) struct QueueRunTests {
    private let directory = QueueDirectory()
    private let store: SQLiteQueueStore

    init() { store = SQLiteQueueStore(path: directory.file) }

    private func fill(_ count: Int, _ change: (Int, inout QueueRequest) -> Void = { _, _ in }) throws
        -> [QueueEntry.ID]
    {
        try (0..<count).flatMap { number in try store.add(.sample("\(number)") { change(number, &$0) }) }
    }

    private func finish(_ leases: some Sequence<QueueLease>, _ result: QueueCompletion.Result = .done) throws
        -> [Bool]
    {
        try store.finish(leases.map { QueueCompletion($0, result) }, now: .at(10))
    }

    /// What the file says, read by another connection.
    private func number(_ sql: StaticString) throws -> Int64 {
        try SQLiteConnection(path: directory.file, isReadOnly: true).number(sql)
    }

    private func states() throws -> [QueueEntry.State] { try store.entries(QueueSelection()).map(\.state) }

    /// queue.runs
    @Test func entriesThatFollowEachOtherAreLeasedWithoutAChangeOfTheirRows() throws {
        let ids = try fill(20)
        let leases = try store.lease(12, at: .at(1))
        #expect(leases.map(\.id) == Array(ids[..<12]) && leases.allSatisfy { $0.attempt == 1 })
        #expect(try number("SELECT count(*) FROM entry WHERE state = 0 AND attempts = 0") == 20)
        #expect(try store.counts() == [.leased: 12, .waiting: 8])
        let entries = try store.entries(QueueSelection())
        #expect(
            entries.filter { $0.state == .leased && $0.attempts == 1 && $0.firstSent == .at(1) }.count == 12)
        #expect(try store.outlook().owners == [QueueOwner(1)])
        var selection = QueueSelection()
        selection.states = [.waiting, .leased]
        #expect(try store.entries(selection).map(\.id) == ids)
        selection.states = [.leased]
        #expect(try store.entries(selection).map(\.id) == Array(ids[..<12]))
        #expect(try store.lease(20, at: .at(2)).map(\.id) == Array(ids[12...]))
        #expect(try finish(leases[3..<9]) == [Bool](repeating: true, count: 6))
        #expect(
            try number(
                "SELECT count(*) FROM entry WHERE state = 6 AND attempts = 1 AND firstSent < repeatEnd") == 6)
        #expect(try finish(leases) == leases.indices.map { !(3..<9).contains($0) })
        #expect(try store.counts() == [.leased: 8, .done: 12])
        #expect(try store.check())
    }

    /// queue.runs
    @Test func anotherOwnerOrAttemptDoesNotEndThem() throws {
        _ = try fill(8)
        let leases = try store.lease(8, at: .at(1))
        let stale = try store.lease(8, at: .at(1))
        #expect(stale.isEmpty)
        let other = SQLiteQueueStore(path: directory.file)
        #expect(try other.lease(8, at: .at(1)).isEmpty)
        #expect(try store.reclaim(from: [QueueOwner(1)], now: .at(2)) == leases.map(\.id))
        let again = try other.lease(8, at: .at(3), owner: 2)
        #expect(again.allSatisfy { $0.attempt == 2 && $0.wasSentBefore && $0.firstSent == .at(1) })
        #expect(try number("SELECT count(*) FROM entry WHERE state = 0") == 8)
        #expect(try finish(leases) == [Bool](repeating: false, count: 8))
        #expect(try store.counts() == [.leased: 8])
        #expect(try finish(again) == [Bool](repeating: true, count: 8))
        #expect(try store.counts() == [.done: 8])
    }

    /// queue.runs
    @Test func oneThatIsSentAgainLeavesItsRun() throws {
        let ids = try fill(9)
        let leases = try store.lease(9, at: .at(1))
        #expect(try finish([leases[4]], .released) == [true])
        #expect(try store.counts() == [.leased: 8, .waiting: 1])
        let again = try store.lease(9, at: .at(11))
        #expect(again.map(\.id) == [ids[4]] && again[0].attempt == 2)
        // The former attempt ends nothing, those beside it end.
        #expect(try finish(leases) == leases.indices.map { $0 != 4 })
        #expect(try store.counts() == [.leased: 1, .done: 8])
        #expect(try finish(again) == [true])
        #expect(try store.outlook().owners.isEmpty && store.check())
    }

    /// More runs than there is room for are written into the rows.
    @Test func manyRunsAreWrittenIntoTheRows() throws {
        let count = QueueRun.most * 5 + 40
        _ = try fill(count) { number, request in
            // The repeat window of every fifth one differs, which ends a run.
            request.repeatWindow = .seconds(number % 5 == 4 ? 1_000 : 2_000)
        }
        let leases = try store.lease(count, at: .at(1))
        #expect(leases.count == count)
        #expect(try store.counts() == [.leased: count])
        let written = try number("SELECT count(*) FROM entry WHERE state = 5")
        #expect(written == Int64(count - QueueRun.most * 4))
        // Each one in the middle of a run makes two of it.
        let middle = stride(from: 1, to: count, by: 5).map { leases[$0] }
        #expect(try finish(middle, .postponed(until: .at(50))).allSatisfy { $0 })
        let others = leases.indices.filter { $0 % 5 != 1 }.map { leases[$0] }
        #expect(try finish(others).allSatisfy { $0 })
        #expect(try store.counts() == [.postponed: middle.count, .done: others.count])
        #expect(try store.check())
    }

    /// Everything that changes entries knows that these are being sent.
    @Test func entriesInRunsAreNotTouched() throws {
        let account = QueueAccount("a")
        let ids = try fill(8) { number, request in
            request.account = account
            request.timeToLive = .seconds(20)
            request.repeatWindow = .seconds(5)
            request.deduplicationKey = "key-\(number)"
        }
        let leases = try store.lease(8, at: .at(1))
        #expect(try store.cancel(QueueSelection(ids[2]), now: .at(2)).isEmpty)
        #expect(try store.expire(now: .at(30)).isEmpty)
        #expect(try store.outlook().nextExpiry == nil)
        let newer = try QueueItem.sample("new") { request in
            request.account = account
            request.deduplicationKey = "key-1"
            request.supersedes = true
        }
        guard
            case .stored(_, let superseded, _) = try store.insert(
                [newer], limits: QueueLimits(), now: .at(30))[0]
        else { throw QueueError(.notFound, "not stored") }
        #expect(superseded.isEmpty)
        #expect(try number("SELECT count(*) FROM entry WHERE state = 0") == 9)
        #expect(try store.resume(account, as: QueueAccount("b"), now: .at(30)) == 0)
        // A login that was refused parks the others only after their attempts.
        #expect(try finish([leases[0]], .parked) == [true])
        #expect(try store.counts() == [.leased: 7, .parked: 1, .waiting: 1])
        #expect(try finish(leases[1...], .released).allSatisfy { $0 })
        #expect(try store.counts() == [.parked: 8, .waiting: 1])
    }

    /// queue.keys: what is being sent stands for no later request.
    @Test func entriesInRunsStandForNoLaterRequest() throws {
        let ids = try fill(8) { number, request in request.deduplicationKey = "key-\(number)" }
        #expect(try store.lease(8, at: .at(1)).count == 8)
        let added = try store.add(.sample("later") { $0.deduplicationKey = "key-1" }, at: .at(2))
        #expect(added.count == 1 && !ids.contains(added[0]))
    }

    // MARK: Damage

    /// queue.damaged-file
    @Test func aRecoveredFileKnowsWhatIsBeingSent() throws {
        let ids = try fill(12)
        let leases = try store.lease(8, at: .at(1))
        _ = try finish([leases[3]])
        store.close()
        try change("UPDATE sqlite_schema SET sql = replace(sql, '>= 6', '>= 0') WHERE name = 'entry_final'")
        #expect(try store.lease(20, at: .at(2)).map(\.id) == Array(ids[8...]))
        #expect(store.takeRecoveries().map(\.recovered) == [12])
        #expect(try store.outlook().owners == [QueueOwner(1)])
        #expect(try finish(leases) == leases.indices.map { $0 != 3 })
        #expect(try store.check())
    }

    /// Without the knowledge which entries are being sent, each that waits counts as sent since it was stored.
    ///
    /// queue.ambiguous-never-resent
    @Test func withoutThatKnowledgeEachMayHaveBeenSent() throws {
        let ids = try fill(20) { number, request in
            request.repeatWindow = .seconds(number < 10 ? 10 : 100)
        }
        let lost = try store.lease(16, at: .at(1))
        store.close()
        try change("UPDATE meta SET bytes = zeroblob(length(bytes))")
        let leases = try store.lease(30, at: .at(50), owner: 2)
        #expect(leases.map(\.id) == Array(ids[10...]))
        #expect(leases.allSatisfy { $0.wasSentBefore && $0.attempt == 2 })
        #expect(try finish(lost).allSatisfy { !$0 })
        #expect(try store.counts() == [.ambiguous: 10, .leased: 10])
    }

    private func change(_ sql: String) throws {
        let connection = try SQLiteConnection(path: directory.file, isReadOnly: false)
        try connection.execute("PRAGMA writable_schema = 1")
        try connection.execute(sql)
    }

    // MARK: Size

    /// What is leased at once fits into memory.
    @Test func fewLargeEntriesAreLeasedAtOnce() throws {
        let body = String(repeating: "x", count: 5 << 20)
        let ids = try (0..<6).flatMap { _ in try store.add(.sample(body)) }
        let first = try store.lease(6, at: .at(1))
        #expect(first.map(\.id) == Array(ids[..<4]))
        #expect(try store.lease(6, at: .at(1)).map(\.id) == Array(ids[4...]))
    }

    /// The room of those that are set aside is for others.
    @Test func largeDamagedEntriesDoNotHoldBackOthers() throws {
        let body = String(repeating: "x", count: 9 << 20)
        let large = try (0..<3).flatMap { _ in try store.add(.sample(body)) }
        let small = try store.add(.sample("small"))
        for id in large { try FileManager.default.removeItem(atPath: "\(directory.file).bodies/\(id)") }
        #expect(try store.lease(6, at: .at(1)).map(\.id) == small)
        #expect(try store.counts() == [.poison: 3, .leased: 1])
    }
}
