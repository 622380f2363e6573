import CSQLite
import GatewayCore
import GatewayQueueTesting
import GatewayTesting
import Glibc
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// A transaction that fails may have been kept: if the last sync of its journal fails, its commit stands.
@Suite(.timeLimit(.minutes(30)), .tags(.concurrent)) struct FailedTransactionTests {
    private struct Fault: Sendable {
        let name: String
        let operation: FaultFileSystem.Operation
        let code: Int32
    }

    /// What SQLite makes of errors of the system. It repeats itself what a signal interrupts (EINTR), but for syncs and removals.
    private static let faults = [
        Fault(name: "fdatasync: EIO, ENOSPC, EINTR", operation: .sync, code: SQLITE_IOERR | 4 << 8),
        Fault(name: "pwrite: EIO", operation: .write, code: SQLITE_IOERR | 3 << 8),
        Fault(name: "pwrite: ENOSPC", operation: .write, code: SQLITE_FULL),
        Fault(name: "ftruncate: EIO, ENOSPC", operation: .truncate, code: SQLITE_IOERR | 6 << 8),
        Fault(name: "unlink: EIO, EINTR", operation: .delete, code: SQLITE_IOERR | 10 << 8),
        Fault(name: "open: EIO, ENOSPC", operation: .open, code: SQLITE_CANTOPEN),
    ]

    /// The most syncs of a transaction, and some more.
    private static let syncs = 8

    // MARK: The store

    /// queue.after-failed-transaction
    @Test func whatWasLeasedWithoutBeingKnownIsGivenBack() throws {
        var stood = 0
        for point in 0..<Self.syncs {
            let system = try #require(FaultFileSystem())
            let directory = QueueDirectory()
            let store = SQLiteQueueStore(path: directory.file, fileSystem: system.name)
            var ids: [QueueEntry.ID] = []
            for number in 0..<8 { ids += try store.add(.sample("\(number)")) }
            // One that is known, and neighbours of another owner.
            let known = try #require(try store.lease(1, at: .at(1)).first)
            let other = try store.lease(2, at: .at(1), owner: 2)
            system.fail(.sync, after: point)
            let leases = try? store.lease(5, at: .at(2))
            system.fail(.sync, after: 0, times: 0)
            let returned = try store.giveBack(of: QueueOwner(1), now: .at(3)) { id, attempt in
                id == known.id && attempt == known.attempt || leases?.contains { $0.id == id } ?? false
            }
            if leases != nil { #expect(returned.isEmpty, "sync \(point)") }
            if !returned.isEmpty { stood += 1 }
            #expect(returned.isEmpty || returned == Array(ids[3...]))
            let again = try leases ?? store.lease(8, at: .at(4))
            #expect(again.map(\.id) == Array(ids[3...]), "sync \(point)")
            // Nothing of them was sent.
            #expect(again.allSatisfy { !$0.wasSentBefore })
            let completions = ([known] + other + again).map { QueueCompletion($0, .done) }
            #expect(try store.finish(completions, now: .at(5)).allSatisfy { $0 })
            #expect(try store.check())
        }
        #expect(stood > 0, "No commit stood.")
    }

    /// queue.after-failed-transaction: also if its account has to sign in meanwhile.
    @Test func bothStoresGiveBackTheSame() throws {
        let directory = QueueDirectory()
        let stores: [any QueueStore] = [MemoryQueueStore(), SQLiteQueueStore(path: directory.file)]
        for store in stores {
            let account = QueueAccount("a")
            let ids = try store.add(
                .sample("1"), .sample("2") { $0.account = account }, .sample("3") { $0.account = account })
            let leases = try store.lease(at: .at(1))
            #expect(leases.count == 3)
            #expect(
                try store.finish([QueueCompletion(leases[1], .parked, reason: "401")], now: .at(2)) == [true])
            #expect(try store.giveBack(of: QueueOwner(2), now: .at(3)) { _, _ in false } == [])
            let returned = try store.giveBack(of: QueueOwner(1), now: .at(3)) { id, _ in id == ids[0] }
            #expect(returned == [ids[2]])
            #expect(try store.counts() == [.leased: 1, .parked: 2])
            let entry = try #require(try store.entries(QueueSelection(ids[2])).first)
            #expect(entry.firstSent == nil && entry.attempts == 0)
            #expect(try store.finish([QueueCompletion(leases[2], .done)], now: .at(4)) == [false])
        }
    }

    /// queue.after-failed-transaction, queue.no-ticket-no-row
    @Test func anEntryThatStandsHasATicketAndOthersDoNot() async throws {
        var (stood, failed) = (0, 0)
        for point in 0..<Self.syncs {
            let system = try #require(FaultFileSystem())
            let directory = QueueDirectory()
            let writer = QueueWriter(
                SQLiteQueueStore(path: directory.file, fileSystem: system.name), limits: QueueLimits(),
                clock: ManualClock())
            _ = try await writer.insert(.sample("first"))
            system.fail(.sync, after: point)
            let failures = system.failures
            let insertion = try? await writer.insert(.sample("second"))
            if system.failures > failures {
                if insertion == nil { failed += 1 } else { stood += 1 }
            }
            // Not with this file system: what it finds is on the disk.
            let counts = try SQLiteQueueStore(path: directory.file).counts()
            #expect(counts == [.waiting: insertion == nil ? 1 : 2], "sync \(point)")
        }
        #expect(stood > 0 && failed > 0, "\(stood), \(failed)")
    }

    // MARK: The engine

    /// queue.after-failed-transaction
    @Test(.long("40 entries for each call that fails"), arguments: faults.indices)
    func eachCallMayFailOnce(index: Int) async throws {
        let fault = Self.faults[index]
        // Where few calls are made, each of them fails; the others in steps that have no common divisor with the calls of a
        // transaction.
        let (count, step) = (SoakScale.rounds(4), fault.operation == .write ? 13 : 5)
        var hit = 0
        for round in 0..<count {
            let isHit = try await run(fault, at: round * step, times: 1 + round % 3)
            hit += isHit ? 1 : 0
        }
        // SQLite removes a journal only when it opens a file after a failure.
        #expect(hit > 0 || fault.operation == .delete, "\(fault.name)")
    }

    /// queue.after-failed-transaction: every sync of a run, one by one.
    @Test(.long("40 entries for each sync that fails"))
    func eachSyncMayFailOnce() async throws {
        var hit = 0
        let count = SoakScale.rounds(12)
        for point in 0..<count {
            let isHit = try await run(Self.faults[0], at: point, times: 1)
            hit += isHit ? 1 : 0
        }
        #expect(hit * 3 > count)
    }

    /// Stores 40 entries and sends them.
    ///
    /// - Returns: whether a call has failed.
    private func run(_ fault: Fault, at point: Int, times: Int) async throws -> Bool {
        let system = try #require(FaultFileSystem())
        let directory = QueueDirectory()
        let effects = Locked<[Int: Int]>([:])
        let store = SQLiteQueueStore(path: directory.file, fileSystem: system.name)
        let fixture = try await EngineFixture(store: store) { request, _ in
            let text = String(decoding: request.body.bytes ?? [], as: UTF8.self)
            effects.withLock { $0[Int(text) ?? -1, default: 0] += 1 }
            return .status(201)
        }
        let queue = fixture.queue
        let requests = try (0..<40).map { try sample("\($0)") }
        let failures = system.failures
        system.fail(fault.operation, after: point, times: times, code: fault.code)
        let tickets = await withTaskGroup(of: (Int, QueueTicket?).self) { group in
            for (number, request) in requests.enumerated() {
                group.addTask { (number, try? await queue.enqueue(request)) }
            }
            return await group.reduce(into: [Int: QueueTicket]()) { $0[$1.0] = $1.1 }
        }
        // They wait before anything has ended.
        let waits = tickets.values.map { ticket in Task { try await ticket.outcome().isDone } }
        await queue.start()
        let isDone = await fixture.advance {
            guard let counts = try? await queue.counts() else { return false }
            return counts[.done, default: 0] == tickets.count
                && counts.keys.allSatisfy { $0 == .done || $0 == .cancelled }
        }
        let label = "\(fault.name), call \(point), \(times) times"
        let found = (try? await queue.counts()) ?? [:]
        #expect(isDone, "\(label): \(found)")
        let areTold = await isEventually { queue.board.open.isEmpty }
        #expect(areTold, "\(label): silent tickets")
        if !areTold { for wait in waits { wait.cancel() } }
        for wait in waits {
            let outcome = try? await wait.value
            #expect(outcome == true, "\(label)")
        }
        // Each entry with a ticket took effect once, and no other.
        let expected = Dictionary(uniqueKeysWithValues: tickets.keys.map { ($0, 1) })
        #expect(effects.withLock { $0 } == expected, "\(label)")
        await queue.stop(within: .zero)
        let counts = try SQLiteQueueStore(path: directory.file).counts()
        #expect(
            counts[.done, default: 0] == tickets.count && counts[.leased] == nil,
            "\(label): \(tickets.count), \(counts)")
        return system.failures > failures
    }

    /// queue.after-failed-transaction: a queue that stops stores how its last attempts ended.
    @Test func aQueueThatStopsLeavesNothingLeased() async throws {
        for point in 0..<Self.syncs {
            let system = try #require(FaultFileSystem())
            let directory = QueueDirectory()
            let gate = Gate()
            let store = SQLiteQueueStore(path: directory.file, fileSystem: system.name)
            let fixture = try await EngineFixture(store: store) { _, index in
                if index >= 4 { await gate.pass() }
                return .status(200)
            }
            await fixture.queue.start()
            for number in 0..<4 { _ = try await fixture.queue.enqueue(sample("\(number)")) }
            // There is room for four at a time now.
            try #require(await isEventually { (try? await fixture.queue.counts()) == [.done: 4] })
            for number in 4..<8 { _ = try await fixture.queue.enqueue(sample("\(number)")) }
            await gate.waitForArrivals(4)
            // Nothing of it writes any more until the attempts have ended.
            #expect(await isEventually { (try? await fixture.queue.counts()) == [.done: 4, .leased: 4] })
            system.fail(.sync, after: point)
            gate.open()
            await fixture.queue.stop(within: .seconds(3_600))
            #expect(try SQLiteQueueStore(path: directory.file).counts() == [.done: 8], "sync \(point)")
            withExtendedLifetime(fixture) {}
        }
    }
}
