import Foundation
import GatewayCore
import GatewayQueueTesting
import GatewaySQLite
import Glibc
import Testing

@testable import GatewayOfflineQueue

/// Bodies that are in files of their own.
@Suite(.timeLimit(.minutes(10))) struct LargeBodyTests {
    private let directory = QueueDirectory()

    private func item(_ byte: UInt8, _ count: Int = QueueBodies.largestInRow + 1) throws -> QueueItem {
        try .sample(String(repeating: Character(UnicodeScalar(byte)), count: count))
    }

    /// Numbers of entries, which name their files, begin with 1.
    private func store() -> SQLiteQueueStore {
        SQLiteQueueStore(path: directory.file, after: QueueEntry.ID(0))
    }

    private func files() -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory.file + ".bodies")) ?? []).sorted()
    }

    private func path(_ id: QueueEntry.ID) -> String { "\(directory.file).bodies/\(id)" }

    /// queue.same-bytes
    @Test func aLargeBodyIsTheSameAtEachAttempt() throws {
        let items = [try item(65), try item(66, QueueBodies.largestInRow), try item(67, 3 << 20)]
        let ids = try store().add(items[0], items[1], items[2])
        #expect(files() == ["1", "3"])
        #expect(
            try FileManager.default.attributesOfItem(atPath: path(ids[0]))[.posixPermissions] as? Int == 0o600
        )
        for attempt in 1...3 {
            let store = self.store()
            let leases = try store.lease(at: .at(Int64(attempt)))
            #expect(leases.map(\.item) == items)
            let completions = leases.map { QueueCompletion($0, .released) }
            #expect(try store.finish(completions, now: .at(Int64(attempt))) == [true, true, true])
        }
        #expect(
            try store().entries(QueueSelection()).map(\.bodyBytes) == [
                QueueBodies.largestInRow + 1, QueueBodies.largestInRow, 3 << 20,
            ])
    }

    @Test func theFileOfAFinalEntryIsRemoved() throws {
        let store = self.store()
        let ids = try store.add(item(65), item(66), item(67))
        let leases = try store.lease(2)
        #expect(
            try store.finish(
                [QueueCompletion(leases[0], .done), QueueCompletion(leases[1], .poison)], now: .start)
                == [true, true])
        #expect(files() == ["2", "3"])
        #expect(try store.cancel(QueueSelection(ids[2]), now: .start) == [ids[2]])
        #expect(files() == ["2"])
        // Bodies in rows are removed, too.
        let connection = try QueueFile(path: directory.file, fileSystem: nil).connect().connection
        #expect(try connection.number("SELECT count(*) FROM body") == 0)
        _ = try store.counts()
        #expect(try connection.number("SELECT count(*) FROM gone") == 0)
    }

    /// An answer of a cache, or a verdict without a response: the attempt ends by another statement.
    @Test func theBodyOfAnEntryThatIsDoneWithoutBeingSentIsRemoved() throws {
        let store = self.store()
        _ = try store.add(item(65), .sample())
        let completions = try store.lease().map { QueueCompletion($0, .done, mayHaveBeenSent: false) }
        #expect(try store.finish(completions, now: .start) == [true, true])
        #expect(files() == [])
        let connection = try QueueFile(path: directory.file, fileSystem: nil).connect().connection
        #expect(try connection.number("SELECT count(*) FROM body") == 0)
        #expect(try store.check())
    }

    /// The process ended between its commit and the removal of the file.
    @Test func theNextUserRemovesWhatIsLeftOfAFinalEntry() throws {
        let store = self.store()
        let ids = try store.add(item(65))
        let connection = try QueueFile(path: directory.file, fileSystem: nil).connect().connection
        try connection.execute("UPDATE entry SET state = 6")
        #expect(files() == ["1"])
        _ = try self.store().counts()
        #expect(files() == [])
        #expect(try store.state(ids[0]) == .done)
    }

    @Test func filesWithoutAnEntryAreRemovedWhenTheFileIsOpened() throws {
        let item = try item(65)
        let ids = try store().add(item)
        for name in ["2", "77"] {
            try Data([1]).write(to: URL(fileURLWithPath: directory.file + ".bodies/" + name))
        }
        let store = self.store()
        #expect(try store.counts() == [.waiting: 1])
        #expect(files() == ["1"])
        #expect(try store.lease().map(\.item) == [item])
        #expect(ids == [QueueEntry.ID(1)])
    }

    /// A file of a transaction that was not kept has the number of the next entry.
    @Test func theFileOfAnotherTransactionIsReplaced() throws {
        let store = self.store()
        _ = try store.add(item(65))
        try Data([UInt8](repeating: 1, count: 400_000)).write(
            to: URL(fileURLWithPath: path(QueueEntry.ID(2))))
        let item = try item(66)
        _ = try store.add(item)
        #expect(try store.lease().last?.item == item)
    }

    /// queue.broken-row-costs-itself
    @Test(arguments: ["missing", "changed", "cut", "a directory", "a pipe", "a link"])
    func aMissingOrDamagedFileCostsItsEntry(damage: String) throws {
        let store = self.store()
        let items = [try item(65), try item(66), try item(67)]
        let ids = try store.add(items[0], items[1], items[2])
        let url = URL(fileURLWithPath: path(ids[1]))
        var bytes = try Data(contentsOf: url)
        try FileManager.default.removeItem(at: url)
        switch damage {
        case "changed":
            bytes[100_000] ^= 1
            try bytes.write(to: url)
        case "cut": try bytes.dropLast().write(to: url)
        case "a directory":
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        case "a pipe": #expect(mkfifo(url.path, 0o600) == 0)
        case "a link":
            try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: path(ids[0]))
        default: break
        }
        #expect(try store.lease().map(\.item) == [items[0], items[2]])
        let entry = try #require(try store.entries(QueueSelection(ids[1])).first)
        #expect(entry.state == .poison && entry.reason == "damaged")
    }

    /// queue.no-ticket-no-row
    @Test func aBodyThatCannotBeWrittenIsAnError() throws {
        try Data().write(to: URL(fileURLWithPath: directory.file + ".bodies"))
        let store = self.store()
        let item = try item(65)
        let error = #expect(throws: QueueError.self) { _ = try store.add(item) }
        #expect(error?.code == .unavailable)
        #expect(try store.counts() == [:])
        #expect(try store.add(.sample()) == [QueueEntry.ID(1)])
    }
}
