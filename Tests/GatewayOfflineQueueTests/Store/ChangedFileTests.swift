import Foundation
import GatewayCore
import GatewayQueueTesting
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// Other programs remove, replace, cut or link the file of a queue that is in use.
@Suite(.timeLimit(.minutes(5)), .tags(.concurrent)) struct ChangedFileTests {
    private let directory = QueueDirectory()

    enum Change: String, CaseIterable, Sendable {
        case removed, replaced, cut, overwritten

        /// - Parameter copy: a file with the first entries only.
        func make(at path: String, _ copy: Data) throws {
            let url = URL(fileURLWithPath: path)
            switch self {
            case .removed: try FileManager.default.removeItem(at: url)
            case .replaced: try copy.write(to: url, options: .atomic)
            case .cut: try Data().write(to: url)
            case .overwritten: try copy.write(to: url)
            }
        }

        var keepsFirst: Bool { self == .replaced || self == .overwritten }
    }

    /// The code of the error that the store throws once.
    private func code(_ store: SQLiteQueueStore) -> QueueError.Code? {
        do throws(QueueError) { _ = try store.foreignVersion() } catch { return error.code }
        return nil
    }

    /// queue.moved-file, queue.ids-never-again
    @Test(arguments: Change.allCases)
    func itIsNoticedOnceAndNoNumberIsUsedAgain(change: Change) throws {
        let store = SQLiteQueueStore(path: directory.file)
        var ids = try store.add(.sample("1"), .sample("2"))
        let copy = try Data(contentsOf: URL(fileURLWithPath: directory.file))
        ids += try store.add(.sample("3"), .sample("4"), .sample("5"))
        #expect(code(store) == nil)
        try change.make(at: directory.file, copy)
        let later = try store.add(.sample("6"), .sample("7"))
        #expect(later.count == 2 && Set(later).isDisjoint(with: ids))
        if change.keepsFirst { #expect(later[0] > ids[4]) }
        #expect(code(store) == .changed)
        for _ in 0..<3 { #expect(code(store) == nil) }
        let kept = change.keepsFirst ? Array(ids[..<2]) : []
        #expect(try store.entries(QueueSelection()).map(\.id).sorted() == (kept + later).sorted())
        // What another process finds.
        #expect(try SQLiteQueueStore(path: directory.file).counts() == [.waiting: kept.count + 2])
        #expect(try store.check())
    }

    /// queue.moved-file
    @Test func anotherNameOfTheFileIsNoticed() throws {
        let store = SQLiteQueueStore(path: directory.file)
        let ids = try store.add(.sample("1"))
        #expect(code(store) == nil)
        try FileManager.default.linkItem(atPath: directory.file, toPath: directory.path + "/other")
        #expect(code(store) == .changed)
        for _ in 0..<3 { #expect(code(store) == nil) }
        #expect(try store.lease().map(\.id) == ids)
    }

    /// queue.ids-never-again: also of a file that no store of the process has seen.
    @Test func numbersOfANewFileBeginAnywhere() throws {
        var ids: Set<QueueEntry.ID> = []
        for _ in 0..<20 {
            try? FileManager.default.removeItem(atPath: directory.file)
            ids.formUnion(try SQLiteQueueStore(path: directory.file).add(.sample(), .sample()))
        }
        #expect(ids.count == 40)
    }

    /// queue.moved-file: a recovery by another process is none, and tells nobody.
    @Test func aRecoveredFileHasGoneOn() throws {
        let (one, other) = (SQLiteQueueStore(path: directory.file), SQLiteQueueStore(path: directory.file))
        let ids = try one.add(.sample("1"), .sample("2"))
        #expect(try other.counts() == [.waiting: 2] && code(other) == nil)
        let url = URL(fileURLWithPath: directory.file)
        one.close()
        // The header of the first page.
        var bytes = try Data(contentsOf: url)
        bytes.replaceSubrange(0..<16, with: [UInt8](repeating: 1, count: 16))
        try bytes.write(to: url)
        #expect(try one.lease().map(\.id) == ids)
        #expect(one.takeRecoveries().count == 1)
        #expect(code(one) == nil && code(other) == nil)
        #expect(try other.counts() == [.leased: 2])
    }

    /// queue.moved-file: tickets of lost entries end with an error, and are not told of later ones.
    @Test func ticketsOfLostEntriesEnd() async throws {
        let fixture = try await EngineFixture(
            isOnline: false, store: SQLiteQueueStore(path: directory.file)
        ) { _, _ in .status(201) }
        let queue = fixture.queue
        await queue.start()
        var first: [QueueTicket] = []
        for number in 0..<5 { first.append(try await queue.enqueue(sample("lost \(number)"))) }
        let lost = first
        let waits = lost.map { ticket in Task { try await ticket.outcome() } }
        #expect(await isEventually { queue.board.open.count == 5 })
        try FileManager.default.removeItem(atPath: directory.file)
        var tickets: [QueueTicket] = []
        for number in 0..<5 { tickets.append(try await queue.enqueue(sample("\(number)"))) }
        #expect(await fixture.advance { fixture.queueEvents.contains(.storeFailed("changed")) })
        fixture.network.report(.online)
        #expect(await fixture.advance { (try? await queue.counts()) == [.done: 5] })
        for ticket in tickets { #expect(try await ticket.outcome().isDone) }
        // Without this they would wait for ever.
        let areTold = await fixture.advance { lost.allSatisfy { isLost(queue.board.ticket($0.id)) } }
        #expect(areTold)
        if !areTold { for wait in waits { wait.cancel() } }
        for wait in waits {
            let error = await #expect(throws: QueueError.self) { _ = try await wait.value }
            #expect(error?.code == .notFound)
        }
        #expect(fixture.transport.requests.count == 5)
        #expect(fixture.queueEvents.filter { $0 == .storeFailed("changed") }.count == 1)
        await queue.stop(within: .zero)
    }

    private func isLost(_ ticket: TicketState) -> Bool { ticket.failure?.code == .notFound }
}
