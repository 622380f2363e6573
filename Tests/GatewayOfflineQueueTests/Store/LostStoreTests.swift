import Foundation
import GatewayCore
import GatewayTesting
import Glibc
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// Nothing of a file can be read any more.
@Suite(.timeLimit(.minutes(5)), .tags(.concurrent)) struct LostStoreTests {
    private let directory = QueueDirectory()

    enum Loss: String, CaseIterable, Sendable {
        case directory, bytes, folder, pipe

        var code: QueueError.Code { self == .bytes ? .corrupt : .lost }
    }

    /// The directory is moved away, the file has other bytes, or something else is in its place.
    private func lose(_ loss: Loss) throws {
        switch loss {
        case .directory: try FileManager.default.moveItem(atPath: directory.path, toPath: away)
        case .bytes:
            let text = String(repeating: "This is not a queue.\n", count: 10_000)
            // Without cutting it first.
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: directory.file))
            try handle.write(contentsOf: Data(text.utf8))
            try handle.close()
        case .folder, .pipe:
            try FileManager.default.moveItem(atPath: directory.file, toPath: away)
            try replace(directory.file, by: loss)
        }
    }

    /// Makes a directory or a pipe.
    private func replace(_ path: String, by loss: Loss) throws {
        if loss == .pipe {
            #expect(mkfifo(path, 0o600) == 0)
        } else {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
    }

    private func restore(_ loss: Loss, _ copy: Data) throws {
        switch loss {
        case .directory: try FileManager.default.moveItem(atPath: away, toPath: directory.path)
        case .bytes: try copy.write(to: URL(fileURLWithPath: directory.file), options: .atomic)
        case .folder, .pipe:
            try FileManager.default.removeItem(atPath: directory.file)
            try FileManager.default.moveItem(atPath: away, toPath: directory.file)
        }
    }

    /// Nobody uses the file while it is changed.
    private func isAtRest(_ fixture: EngineFixture) async -> Bool {
        let (clock, queue) = (fixture.clock, fixture.queue)
        let isIdle = await isEventually { await queue.drain.nextCheck.map { clock.now < $0 } ?? false }
        return await isEventually { queue.writer.isIdle } && isIdle
    }

    private var away: String { directory.path + "-away" }

    /// queue.lost-store
    @Test(arguments: Loss.allCases) func ticketsEndAndTheQueueGoesOnLater(loss: Loss) async throws {
        let fixture = try await EngineFixture(
            isOnline: false, store: SQLiteQueueStore(path: directory.file)
        ) { _, _ in .status(201) }
        let queue = fixture.queue
        await queue.start()
        var tickets: [QueueTicket] = []
        for number in 0..<3 { tickets.append(try await queue.enqueue(sample("\(number)"))) }
        let states = tickets.map { queue.board.ticket($0.id) }
        #expect(await isAtRest(fixture))
        let copy = try Data(contentsOf: URL(fileURLWithPath: directory.file))
        try lose(loss)
        #expect(await fixture.advance { states.allSatisfy { $0.failure?.code == loss.code } })
        for ticket in tickets {
            let error = await #expect(throws: QueueError.self) { _ = try await ticket.outcome() }
            #expect(error?.code == loss.code)
        }
        let refused = await #expect(throws: QueueError.self) { _ = try await queue.enqueue(sample("later")) }
        #expect(refused?.code == loss.code)
        #expect(await queue.drain.status.hold == .fileLost)
        let later = fixture.clock.now + .seconds(60)
        #expect(await fixture.advance(by: .seconds(1)) { fixture.clock.now >= later })
        #expect(fixture.queueEvents.count { $0 == .storeFailed(loss.code.name) } == 1)
        // What is there again is sent, and told.
        #expect(await isAtRest(fixture))
        try restore(loss, copy)
        fixture.network.report(.online)
        #expect(await fixture.advance(by: .seconds(1)) { (try? await queue.counts()) == [.done: 3] })
        for ticket in tickets { #expect(try await ticket.outcome().isDone) }
        #expect(await queue.drain.status.hold == nil)
        await queue.stop(within: .zero)
    }

    /// queue.failing-store: no transaction can be made with such a journal.
    @Test(arguments: [Loss.folder, .pipe]) func aJournalThatCannotBeMadeIsTold(loss: Loss) async throws {
        let fixture = try await EngineFixture(
            isOnline: false, store: SQLiteQueueStore(path: directory.file)
        ) { _, _ in .status(201) }
        let queue = fixture.queue
        await queue.start()
        let ticket = try await queue.enqueue(sample())
        let state = queue.board.ticket(ticket.id)
        #expect(await isAtRest(fixture))
        let journal = directory.file + "-journal"
        try? FileManager.default.removeItem(atPath: journal)
        try replace(journal, by: loss)
        fixture.network.report(.online)
        #expect(
            await fixture.advance { await queue.drain.status.hold == .storeFailed("unavailable") })
        #expect(fixture.queueEvents.contains(.storeFailed("unavailable")))
        #expect(
            await fixture.advance { fixture.queueEvents.contains(.held("store failed: unavailable")) })
        let refused = await #expect(throws: QueueError.self) { _ = try await queue.enqueue(sample("later")) }
        #expect(refused?.code == .unavailable)
        #expect(state.outcome == nil && state.failure == nil)
        try FileManager.default.removeItem(atPath: journal)
        #expect(await fixture.advance { (try? await queue.counts()) == [.done: 1] })
        #expect(try await ticket.outcome().isDone)
        #expect(await fixture.advance { await queue.drain.status.hold == nil })
        await queue.stop(within: .zero)
    }

    /// queue.lost-store: a new file takes the place of one of zeros, and the entries are gone.
    @Test func entriesOfAFileOfZerosWereDamaged() async throws {
        let fixture = try await EngineFixture(
            isOnline: false, store: SQLiteQueueStore(path: directory.file)
        ) { _, _ in .status(201) }
        let queue = fixture.queue
        await queue.start()
        var tickets: [QueueTicket] = []
        for number in 0..<3 { tickets.append(try await queue.enqueue(sample("\(number)"))) }
        let states = tickets.map { queue.board.ticket($0.id) }
        #expect(await isAtRest(fixture))
        let url = URL(fileURLWithPath: directory.file)
        let size = try Data(contentsOf: url).count
        let handle = try FileHandle(forWritingTo: url)
        try handle.write(contentsOf: Data(count: size))
        try handle.close()
        #expect(await fixture.advance { states.allSatisfy { $0.failure?.code == .corrupt } })
        for ticket in tickets {
            let error = await #expect(throws: QueueError.self) { _ = try await ticket.outcome() }
            #expect(error?.code == .corrupt)
        }
        fixture.network.report(.online)
        let later = try await queue.enqueue(sample("later"))
        #expect(await fixture.advance { (try? await queue.counts()) == [.done: 1] })
        #expect(try await later.outcome().isDone)
        #expect(fixture.queueEvents.contains(.recovered(0)))
        #expect(!fixture.queueEvents.contains(.storeFailed("changed")))
        await queue.stop(within: .zero)
    }

    /// queue.lost-store: an attempt that has ended meanwhile is told as it ended, although that cannot be stored.
    @Test func whatTheServerTookIsTold() async throws {
        let gate = Gate()
        let fixture = try await EngineFixture(store: SQLiteQueueStore(path: directory.file)) { _, _ in
            await gate.pass()
            return .status(201)
        }
        let queue = fixture.queue
        await queue.start()
        let ticket = try await queue.enqueue(sample())
        let state = queue.board.ticket(ticket.id)
        await gate.waitForArrivals(1)
        try lose(.directory)
        #expect(await fixture.advance { await queue.drain.status.hold == .fileLost })
        #expect(state.outcome == nil && state.failure == nil)
        gate.open()
        #expect(await fixture.advance { state.outcome?.isDone ?? false })
        // It is stored when it can be, and not sent again.
        try restore(.directory, Data())
        #expect(await fixture.advance(by: .seconds(1)) { (try? await queue.counts()) == [.done: 1] })
        #expect(fixture.transport.requests.count == 1)
        await queue.stop(within: .zero)
    }
}
