import Foundation
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// Nothing of a file can be read any more.
@Suite(.timeLimit(.minutes(5)), .tags(.concurrent)) struct LostStoreTests {
    private let directory = QueueDirectory()

    enum Loss: String, CaseIterable, Sendable {
        case directory, bytes

        var code: QueueError.Code { self == .directory ? .lost : .corrupt }
    }

    /// The directory is moved away, or the file has other bytes.
    private func lose(_ loss: Loss) throws {
        switch loss {
        case .directory: try FileManager.default.moveItem(atPath: directory.path, toPath: away)
        case .bytes:
            let text = String(repeating: "This is not a queue.\n", count: 10_000)
            // Without cutting it first.
            let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: directory.file))
            try handle.write(contentsOf: Data(text.utf8))
            try handle.close()
        }
    }

    private func restore(_ loss: Loss, _ copy: Data) throws {
        switch loss {
        case .directory: try FileManager.default.moveItem(atPath: away, toPath: directory.path)
        case .bytes: try copy.write(to: URL(fileURLWithPath: directory.file), options: .atomic)
        }
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
        // Nobody uses the file while it is changed.
        let clock = fixture.clock
        #expect(await isEventually { await queue.drain.nextCheck.map { clock.now < $0 } ?? false })
        #expect(await isEventually { queue.writer.isIdle })
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
        try restore(loss, copy)
        fixture.network.report(.online)
        #expect(await fixture.advance(by: .seconds(1)) { (try? await queue.counts()) == [.done: 3] })
        for ticket in tickets { #expect(try await ticket.outcome().isDone) }
        #expect(await queue.drain.status.hold == nil)
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
