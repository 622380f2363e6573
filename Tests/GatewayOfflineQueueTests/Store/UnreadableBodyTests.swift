import Foundation
import GatewayCore
import GatewayQueueTesting
import GatewayTesting
import Glibc
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// A failure that passes says nothing about the body in a file.
@Suite(.timeLimit(.minutes(5)), .tags(.concurrent)) struct UnreadableBodyTests {
    private let directory = QueueDirectory()
    private let fault = Fault()

    /// Which call fails, and how.
    private final class Fault: Sendable {
        private let current = Locked<Case?>(nil)

        func set(_ new: Case?) { current.withLock { $0 = new } }

        func code(of call: QueueBodies.Call) -> Int32? {
            current.withLock { $0.flatMap { $0.call == call ? $0.code : nil } }
        }
    }

    struct Case: Sendable, CustomStringConvertible {
        let call: QueueBodies.Call
        let code: Int32
        var description: String { "\(call) \(code)" }
    }

    private static let readings = [
        Case(call: .open, code: EMFILE), Case(call: .open, code: ENFILE), Case(call: .open, code: EINTR),
        Case(call: .open, code: EACCES), Case(call: .status, code: ENOMEM), Case(call: .read, code: EIO),
    ]

    private func store() -> SQLiteQueueStore {
        let fault = fault
        let bodies = QueueBodies(beside: directory.file) { fault.code(of: $0) }
        return SQLiteQueueStore(path: directory.file, start: 0, bodies: bodies)
    }

    private var largeText: String { String(repeating: "x", count: QueueBodies.largestInRow + 1) }

    private func files() -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: directory.file + ".bodies")) ?? []
    }

    private func lease(_ store: SQLiteQueueStore, at now: QueueTime) throws -> QueueLeaseResult {
        try store.lease(QueueLeaseRequest(count: 9, owner: QueueOwner(1), now: now))
    }

    /// queue.unsent-never-poison
    @Test(arguments: readings) func aBodyThatCannotBeReadIsPostponed(sample failing: Case) throws {
        let store = store()
        let ids = try store.add(.sample(largeText), .sample("small"))
        fault.set(failing)
        let first = try lease(store, at: .at(1))
        #expect(first.leases.map(\.id) == [ids[1]] && first.unreadable == [ids[0]] && first.damaged.isEmpty)
        let entry = try #require(try store.entries(QueueSelection(ids[0])).first)
        #expect(entry.state == .postponed && entry.isUnreadable && entry.notBefore == .at(6))
        #expect(entry.attempts == 0 && entry.firstSent == nil)
        // Not at once, and as often as it has to be.
        #expect(try lease(store, at: .at(5)) == QueueLeaseResult())
        #expect(try lease(store, at: .at(6)).unreadable == [ids[0]])
        fault.set(nil)
        let leases = try lease(store, at: .at(11)).leases
        #expect(leases.map(\.item.body.count) == [largeText.utf8.count] && leases[0].attempt == 1)
        #expect(try store.check())
    }

    /// queue.unsent-never-poison: a disk that is not mounted has no files.
    @Test func withoutTheQueueNothingIsKnown() throws {
        let ids = try store().add(.sample(largeText))
        let (bodies, count) = (QueueBodies(beside: directory.file), largeText.utf8.count)
        let away = directory.path + "-away"
        try FileManager.default.moveItem(atPath: directory.path, toPath: away)
        #expect(throws: QueueBodies.Unreadable.self) { _ = try bodies.load(ids[0], count: count) }
        try FileManager.default.moveItem(atPath: away, toPath: directory.path)
        #expect(try bodies.load(ids[0], count: count)?.count == count)
    }

    /// queue.broken-row-costs-itself: the queue is there, and the directory of its bodies is not.
    @Test(arguments: ["removed", "a file"]) func withoutTheirDirectoryBodiesAreGone(change: String) throws {
        let store = store()
        let ids = try store.add(.sample(largeText), .sample("small"))
        try FileManager.default.removeItem(atPath: directory.file + ".bodies")
        if change == "a file" { try Data().write(to: URL(fileURLWithPath: directory.file + ".bodies")) }
        let leased = try lease(store, at: .at(1))
        #expect(leased.damaged == [ids[0]] && leased.unreadable.isEmpty)
        #expect(leased.leases.map(\.id) == [ids[1]])
        #expect(try store.state(ids[0]) == .poison)
    }

    /// queue.unsent-never-poison
    @Test func theQueueSaysWhyItWaits() async throws {
        let fixture = try await EngineFixture(isOnline: false, store: store()) { _, _ in .status(200) }
        let ticket = try await fixture.queue.enqueue(sample(largeText))
        await fixture.queue.start()
        fault.set(Case(call: .open, code: EMFILE))
        fixture.network.report(.online)
        #expect(await fixture.advance { fixture.queueEvents.contains(.moved(1, to: "postponed")) })
        let reason = try await fixture.queue.waitReason(of: ticket.id)
        guard case .unreadable = reason else {
            Issue.record("it waits for another reason: \(reason)")
            return
        }
        fault.set(nil)
        #expect(await fixture.advance { (try? await fixture.queue.counts()[.done]) == 1 })
        #expect(try await ticket.outcome().isDone)
        await fixture.queue.stop(within: .zero)
    }

    /// queue.no-ticket-no-row: nothing is left of a body that cannot be stored.
    @Test(arguments: [
        (Case(call: .write, code: ENOSPC), QueueError.Code.full), (Case(call: .write, code: EDQUOT), .full),
        (Case(call: .open, code: EMFILE), .unavailable), (Case(call: .sync, code: EIO), .unavailable),
    ])
    func aBodyThatCannotBeStoredLeavesNothing(sample failing: Case, code: QueueError.Code) throws {
        let store = store()
        _ = try store.add(.sample("small"))
        fault.set(failing)
        let item = try QueueItem.sample(largeText)
        let error = #expect(throws: QueueError.self) { _ = try store.add(item) }
        #expect(error?.code == code)
        #expect(files().isEmpty)
        fault.set(nil)
        #expect(try store.counts() == [.waiting: 1])
        #expect(try store.add(item).count == 1)
        #expect(files().count == 1)
    }

    /// queue.body-files: a process that is killed leaves a part of a file, and its entry is not there.
    @Test func thePartOfAKilledProcessIsRemoved() throws {
        let ids = try store().add(.sample(largeText))
        let part = "\(directory.file).bodies/\(ids[0].rawValue + 1)"
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: part))
        #expect(try store().counts() == [.waiting: 1])
        #expect(files() == ["\(ids[0])"])
    }
}
