import CSQLite
import Foundation
import GatewayCore
import GatewayQueueTesting
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// A disk that does not give what is asked for at the moment: this says nothing about what is on it.
@Suite(.timeLimit(.minutes(5)), .tags(.concurrent)) struct ReadFaultTests {
    private let directory = QueueDirectory()

    /// SQLITE_IOERR_READ and SQLITE_IOERR_CORRUPTFS, macros that Swift does not import. SQLite makes the latter of EIO.
    private static let codes: [Int32] = [SQLITE_IOERR | 1 << 8, SQLITE_IOERR | 33 << 8]

    private func hasDamagedFile(_ directory: QueueDirectory) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).contains {
            $0.contains(".damaged-")
        }
    }

    /// queue.read-failure
    @Test(arguments: codes) func aReadThatFailsIsNoDamage(code: Int32) throws {
        let system = try #require(FaultFileSystem())
        let ids = try SQLiteQueueStore(path: directory.file).add(
            .sample("1"), .sample(String(repeating: "x", count: 20_000)))
        var failed = 0
        for skipped in 0..<60 {
            // It has nothing of the file in its memory.
            let store = SQLiteQueueStore(path: directory.file, fileSystem: system.name)
            system.fail(.read, after: skipped, times: 1 + skipped % 3, code: code)
            do throws(QueueError) {
                #expect(try store.check(), "read \(skipped)")
            } catch {
                failed += 1
                #expect(error.code == .unavailable, "read \(skipped): \(error)")
            }
            system.fail(.read, after: 0, times: 0)
            #expect(try store.entries(QueueSelection()).map(\.id) == ids)
            #expect(store.takeRecoveries().isEmpty, "read \(skipped)")
        }
        #expect(failed > 10)
        #expect(try !hasDamagedFile(directory))
    }

    /// queue.read-failure: what one connection finds is not enough.
    @Test func anotherConnectionHasToFindTheDamage() throws {
        let system = try #require(FaultFileSystem())
        let ids = try SQLiteQueueStore(path: directory.file).add(.sample("1"), .sample("2"))
        let failures = system.failures
        for skipped in 0..<20 {
            let store = SQLiteQueueStore(path: directory.file, fileSystem: system.name)
            system.fail(.read, after: skipped, code: SQLITE_CORRUPT)
            #expect(try store.entries(QueueSelection()).map(\.id) == ids)
            #expect(store.takeRecoveries().isEmpty, "read \(skipped)")
        }
        #expect(system.failures > failures)
        #expect(try !hasDamagedFile(directory))
    }

    /// queue.read-failure: a recovery that cannot read everything leaves the damaged file as it is, and is tried again.
    @Test func aRecoveryThatCannotReadEndsWithoutAChange() throws {
        let system = try #require(FaultFileSystem())
        let ids = try SQLiteQueueStore(path: directory.file).add(.sample("1"), .sample("2"))
        var bytes = try Data(contentsOf: URL(fileURLWithPath: directory.file))
        // The header of the first page.
        bytes.replaceSubrange(0..<16, with: [UInt8](repeating: 1, count: 16))
        var unchanged = 0
        for skipped in 0..<40 {
            let directory = QueueDirectory()
            let url = URL(fileURLWithPath: directory.file)
            try bytes.write(to: url)
            let store = SQLiteQueueStore(path: directory.file, fileSystem: system.name)
            system.fail(.read, after: skipped, code: Self.codes[1])
            do throws(QueueError) { _ = try store.counts() } catch {
                #expect(error.code == .unavailable, "read \(skipped): \(error)")
                // It may be the new file that is not read.
                if try !hasDamagedFile(directory) {
                    unchanged += 1
                    #expect(try Data(contentsOf: url) == bytes)
                }
            }
            system.fail(.read, after: 0, times: 0)
            #expect(try store.lease().map(\.id) == ids)
            #expect(store.takeRecoveries().map(\.recovered) == [2])
        }
        #expect(unchanged > 10)
    }

    /// queue.read-failure: tickets wait until the disk can be read.
    @Test func ticketsWaitForTheDisk() async throws {
        let system = try #require(FaultFileSystem())
        let fixture = try await EngineFixture(
            isOnline: false, store: SQLiteQueueStore(path: directory.file, fileSystem: system.name)
        ) { _, _ in .status(201) }
        let queue = fixture.queue
        await queue.start()
        let ticket = try await queue.enqueue(sample())
        let state = queue.board.ticket(ticket.id)
        system.fail(.read, after: 0, times: .max, code: Self.codes[1])
        fixture.network.report(.online)
        // A failure while it reconnects is told by the next one.
        let hold = QueueEvent.held("store failed: unavailable")
        #expect(await fixture.advance { fixture.queueEvents.contains(hold) })
        let error = await #expect(throws: QueueError.self) { _ = try await queue.enqueue(sample("later")) }
        #expect(error?.code == .unavailable)
        #expect(state.outcome == nil && state.failure == nil)
        system.fail(.read, after: 0, times: 0)
        #expect(await fixture.advance { (try? await queue.counts()) == [.done: 1] })
        #expect(try await ticket.outcome().isDone)
        #expect(await fixture.advance { await queue.drain.status.hold == nil })
        #expect(fixture.queueEvents.contains(.storeFailed("unavailable")))
        #expect(try !hasDamagedFile(directory))
        await queue.stop(within: .zero)
    }
}
