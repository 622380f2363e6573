import CSQLite
import GatewayCore
import GatewayQueueTesting
import GatewayTesting
import Testing

@testable import GatewayOfflineQueue

/// A disk that fails: no ticket without a row, typed errors, and the queue goes on.
@Suite(.timeLimit(.minutes(10)), .serialized) struct DiskFaultTests {
    private struct Fault: Sendable {
        let name: String
        let operation: FaultFileSystem.Operation
        let code: Int32
        let expected: QueueError.Code
    }

    private static let faults = [
        Fault(name: "fsync", operation: .sync, code: SQLITE_IOERR | 4 << 8, expected: .unavailable),
        Fault(name: "write", operation: .write, code: SQLITE_IOERR | 3 << 8, expected: .unavailable),
        Fault(name: "truncate", operation: .truncate, code: SQLITE_IOERR | 6 << 8, expected: .unavailable),
        Fault(name: "full", operation: .write, code: SQLITE_FULL, expected: .full),
    ]

    /// queue.fsync-failure, queue.no-ticket-no-row
    @Test(arguments: faults.indices) func eachOperationMayFail(index: Int) throws {
        let fault = Self.faults[index]
        let system = try #require(FaultFileSystem())
        var hit = 0
        let rounds = SoakScale.rounds(16)
        for round in 0..<rounds {
            let skipped = round % (fault.operation == .truncate ? 4 : 16)
            let directory = QueueDirectory()
            var store = SQLiteQueueStore(path: directory.file, fileSystem: system.name)
            var tickets = try Set(store.add(.sample("first")))
            let failures = system.failures
            system.fail(fault.operation, after: skipped, times: 1 + skipped % 3, code: fault.code)
            var failed = 0
            for number in 0..<4 {
                let items = [try QueueItem.sample("\(number)"), try QueueItem.sample("\(number)'")]
                do throws(QueueError) {
                    for case .stored(let id, _, _) in try store.insert(
                        items, limits: QueueLimits(), now: .start)
                    {
                        tickets.insert(id)
                    }
                } catch {
                    failed += 1
                    #expect(error.code == fault.expected, "\(fault.name) \(skipped): \(error)")
                }
            }
            hit += system.failures - failures
            #expect(system.failures > failures || failed == 0)
            system.fail(fault.operation, after: 0, times: 0)
            // It goes on.
            tickets.formUnion(try store.add(.sample("last")))
            #expect(try Set(store.entries(QueueSelection()).map(\.id)).isSuperset(of: tickets))
            // Another process sees each ticket, and rows of failed transactions whole or not at all.
            store = SQLiteQueueStore(path: directory.file)
            let leases = try store.lease(100)
            #expect(Set(leases.map(\.id)).isSuperset(of: tickets))
            #expect(try store.counts() == [.leased: leases.count])
            #expect(leases.count % 2 == 0, "\(fault.name) \(skipped): half a transaction")
        }
        #expect(hit >= rounds / 2)
    }

    /// queue.fsync-failure: after a failed sync the file is read anew before the next ticket.
    @Test func afterAFailedSyncTheFileIsOpenedAnew() throws {
        let system = try #require(FaultFileSystem())
        let directory = QueueDirectory()
        let store = SQLiteQueueStore(path: directory.file, fileSystem: system.name)
        _ = try store.add(.sample())
        #expect(store.isOpen)
        system.fail(.sync, after: 0)
        let error = #expect(throws: QueueError.self) { _ = try store.add(.sample()) }
        #expect(error?.code == .unavailable)
        #expect(!store.isOpen)
        #expect(try store.add(.sample()).count == 1)
    }

    /// queue.fsync-failure: nobody of a batch has a ticket.
    @Test func aFailedSyncFailsTheWholeBatch() async throws {
        let system = try #require(FaultFileSystem())
        let directory = QueueDirectory()
        let writer = QueueWriter(
            SQLiteQueueStore(path: directory.file, fileSystem: system.name), limits: QueueLimits(),
            clock: SystemClock())
        _ = try await writer.insert(.sample())
        system.fail(.sync, after: 0)
        let hold = await ThreadHold(of: writer)
        await withTaskGroup(of: QueueError.Code?.self) { group in
            for number in 0..<5 {
                group.addTask {
                    do { _ = try await writer.insert(.sample("\(number)")) } catch {
                        return (error as? QueueError)?.code
                    }
                    return nil
                }
            }
            while writer.waitingCount < 5 { await Task.yield() }
            hold.release()
            for await code in group { #expect(code == .unavailable) }
        }
        #expect(
            try await writer.perform { (store) throws(QueueError) in try store.counts() } == [.waiting: 1])
    }

    /// queue.opened-anew: SQLite opens a file to be read if the system refuses once to open it otherwise.
    @Test func aFileThatCannotBeOpenedForWritingIsOpenedAnew() throws {
        let system = try #require(FaultFileSystem())
        let directory = QueueDirectory()
        let store = SQLiteQueueStore(path: directory.file, fileSystem: system.name)
        _ = try store.add(.sample())
        store.close()
        system.fail(.open, after: 0, times: 2, code: SQLITE_READONLY)
        for _ in 0..<2 {
            let error = #expect(throws: QueueError.self) { _ = try store.add(.sample()) }
            #expect(error?.code == .unavailable)
            #expect(!store.isOpen)
        }
        #expect(try store.add(.sample()).count == 1)
        #expect(try store.counts() == [.waiting: 2])
    }

    @Test func aReadOnlyFileIsATypedError() throws {
        let system = try #require(FaultFileSystem())
        let directory = QueueDirectory()
        let store = SQLiteQueueStore(path: directory.file, fileSystem: system.name)
        let ids = try store.add(.sample())
        system.fail(.write, after: 0, times: 1_000, code: SQLITE_READONLY)
        let error = #expect(throws: QueueError.self) { _ = try store.add(.sample()) }
        #expect(error?.code == .unavailable)
        // What needs no writing works.
        #expect(try store.entries(QueueSelection()).map(\.id) == ids)
        #expect(throws: QueueError.self) { _ = try store.lease() }
        system.fail(.write, after: 0, times: 0)
        #expect(try store.lease().map(\.id) == ids)
    }
}
