import CSQLite
import GatewayQueueTesting
import GatewaySQLite
import Testing

@testable import GatewayOfflineQueue

/// The name of the journal: without it, a loss of power would leave half a transaction.
@Suite(.timeLimit(.minutes(1))) struct JournalNameTests {
    let directory = QueueDirectory()

    private func store(_ system: FaultFileSystem) -> SQLiteQueueStore {
        SQLiteQueueStore(path: directory.file, fileSystem: system.name)
    }

    /// queue.journal-name
    @Test func aJournalThatStaysIsMadeOnce() throws {
        let system = try #require(FaultFileSystem())
        let store = store(system)
        for _ in 0..<5 { _ = try store.add(.sample()) }
        #expect(system.journalCreations == 1)
        // Another connection does not know what the first one has synced.
        _ = try self.store(system).add(.sample())
        #expect(system.journalCreations == 2)
    }

    /// queue.journal-name
    @Test func aJournalThatAnotherProgramRemovesIsMadeAnew() throws {
        let system = try #require(FaultFileSystem())
        let store = store(system)
        _ = try store.add(.sample())
        for round in 1...4 {
            // SQLite's default mode, DELETE.
            let other = try SQLiteConnection(path: directory.file, isReadOnly: false)
            try other.execute("UPDATE entry SET reason = '\(round)'")
            // One that this store has not made.
            if round > 2 { _ = try SQLiteQueueStore(path: directory.file).add(.sample()) }
            for _ in 0..<3 { _ = try store.add(.sample()) }
            #expect(system.journalCreations == 1 + round)
        }
        #expect(try store.counts() == [.waiting: 15])
        #expect(try store.check())
    }

    /// SQLite closes a connection after its last statement.
    @Test func aStatementMayOutliveItsConnection() throws {
        let system = try #require(FaultFileSystem())
        _ = try store(system).add(.sample())
        let file = QueueFile(path: directory.file, fileSystem: system.name)
        var connection: SQLiteConnection? = try file.connect().connection
        let statement = try #require(try connection?.statement("UPDATE entry SET reason = 'x'"))
        connection = nil
        try statement.run()
        #expect(system.journalCreations == 2)
    }

    /// Nothing was synced by SQLite yet.
    @Test func theNameIsDurableAlsoIfTheFirstTransactionIsRolledBack() throws {
        let system = try #require(FaultFileSystem())
        _ = try store(system).add(.sample())
        let store = store(system)
        system.fail(.write, after: 0, code: SQLITE_FULL)
        let error = #expect(throws: QueueError.self) { _ = try store.add(.sample()) }
        #expect(error?.code == .full && system.failures == 1)
        let made = system.journalCreations
        _ = try store.add(.sample())
        #expect(made == 2 && system.journalCreations == made)
        #expect(try store.counts() == [.waiting: 2])
    }

    /// After a failed sync nothing that the connection knew counts.
    @Test func aFailedSyncIsFollowedByANewJournal() throws {
        let system = try #require(FaultFileSystem())
        let store = store(system)
        _ = try store.add(.sample())
        system.fail(.sync, after: 0)
        #expect(throws: QueueError.self) { _ = try store.add(.sample()) }
        _ = try store.add(.sample())
        #expect(system.journalCreations == 2)
        #expect(try store.counts() == [.waiting: 2])
    }
}
