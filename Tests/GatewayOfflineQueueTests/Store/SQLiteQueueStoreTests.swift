import GatewayCore
import GatewayQueueTesting
import GatewaySQLite
import Testing

@testable import GatewayOfflineQueue

/// The file of the queue.
@Suite(.timeLimit(.minutes(2))) struct SQLiteQueueStoreTests {
    @Test func entriesOutliveTheStore() throws {
        let directory = QueueDirectory()
        let item = try QueueItem.sample("body") { $0.account = QueueAccount("a") }
        let ids = try SQLiteQueueStore(path: directory.file).add(item)
        let lease = try #require(try SQLiteQueueStore(path: directory.file).lease().first)
        #expect(lease.id == ids[0] && lease.item == item)
    }

    @Test func twoStoresShareAFile() throws {
        let directory = QueueDirectory()
        let (one, other) = (SQLiteQueueStore(path: directory.file), SQLiteQueueStore(path: directory.file))
        var ids: [QueueEntry.ID] = []
        for _ in 0..<10 {
            ids += try one.add(.sample())
            ids += try other.add(.sample())
        }
        let leased = try one.lease(7, owner: 1).map(\.id) + other.lease(20, owner: 2).map(\.id)
        #expect(leased == ids)
        #expect(try other.outlook().owners == [QueueOwner(1), QueueOwner(2)])
    }

    @Test func theModeOfTheFileIsDurable() throws {
        let directory = QueueDirectory()
        _ = try SQLiteQueueStore(path: directory.file).add(.sample())
        let connection = try QueueFile(path: directory.file, fileSystem: nil).connect().connection
        #expect(try connection.number("PRAGMA synchronous") == 2)
        let mode = try connection.statement("PRAGMA journal_mode")
        #expect(try mode.step() && mode.text(0) == "truncate")
    }

    /// queue.broken-row-costs-itself
    @Test func aDamagedRowIsSetAside() throws {
        let directory = QueueDirectory()
        let store = SQLiteQueueStore(path: directory.file)
        let ids = try store.add(.sample(), .sample(), .sample())
        store.close()
        let connection = try SQLiteConnection(path: directory.file, isReadOnly: false)
        // The item of another row, and a changed byte.
        try connection.execute(
            "UPDATE entry SET head = (SELECT head FROM entry WHERE id = \(ids[2])) WHERE id = \(ids[0])")
        try connection.execute("UPDATE entry SET head = head || x'00' WHERE id = \(ids[1])")
        #expect(try store.lease().map(\.id) == [ids[2]])
        #expect(try store.counts() == [.poison: 2, .leased: 1])
    }

    /// queue.schema
    @Test(arguments: ["PRAGMA user_version = 2", "PRAGMA application_id = 1"])
    func filesOfOthersAreLeftAlone(change: String) throws {
        let directory = QueueDirectory()
        let store = SQLiteQueueStore(path: directory.file)
        _ = try store.add(.sample())
        store.close()
        try SQLiteConnection(path: directory.file, isReadOnly: false).execute(change)
        let error = #expect(throws: QueueError.self) { _ = try store.counts() }
        #expect(error?.code == .unsupportedVersion)
    }

    @Test func aMissingDirectoryIsAnError() {
        let error = #expect(throws: QueueError.self) {
            _ = try SQLiteQueueStore(path: "/nonexistent/queue.sqlite").counts()
        }
        #expect(error?.code == .unavailable)
    }
}
