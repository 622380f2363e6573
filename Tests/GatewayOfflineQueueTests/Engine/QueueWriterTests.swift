import GatewayCore
import TestTiers
import Testing

@testable import GatewayOfflineQueue

/// Entries that wait at the same time share a commit.
@Suite(.timeLimit(.minutes(2)), .tags(.concurrent)) struct QueueWriterTests {
    @Test(arguments: [64, QueueWriter.mostItems + 10])
    func whatWaitsIsStoredTogether(count: Int) async throws {
        let directory = QueueDirectory()
        let writer = QueueWriter(
            SQLiteQueueStore(path: directory.file), limits: QueueLimits(), clock: SystemClock())
        let hold = await ThreadHold(of: writer)
        try await withThrowingTaskGroup(of: QueueInsertion.self) { group in
            for number in 0..<count {
                let item = try QueueItem.sample("\(number)", at: QueueTime(SystemClock()))
                group.addTask { try await writer.insert(item) }
            }
            // All of them wait, since the thread is busy.
            while writer.waitingCount < count { await Task.yield() }
            hold.release()
            var ids: Set<QueueEntry.ID> = []
            for try await case .stored(let id, _, _) in group { ids.insert(id) }
            #expect(ids.count == count)
        }
        let entries = try await writer.perform { (store) throws(QueueError) in
            try store.entries(QueueSelection())
        }
        #expect(entries.count == count)
        #expect(writer.commitCount == (count + QueueWriter.mostItems - 1) / QueueWriter.mostItems)
        // Another connection sees them: they are committed.
        #expect(try SQLiteQueueStore(path: directory.file).counts() == [.waiting: count])
    }

    /// queue.no-ticket-no-row
    @Test func withoutAThreadNothingIsStored() async throws {
        let directory = QueueDirectory()
        let writer = QueueWriter(
            SQLiteQueueStore(path: directory.file), limits: QueueLimits(), clock: SystemClock(),
            canStart: { false })
        let item = try QueueItem.sample()
        for _ in 0..<2 {
            let error = await #expect(throws: QueueError.self) { _ = try await writer.insert(item) }
            #expect(error?.code == .unavailable)
        }
        #expect(try SQLiteQueueStore(path: directory.file).counts() == [:])
    }

    @Test func anErrorOfTheStoreIsThrown() async throws {
        let writer = QueueWriter(
            SQLiteQueueStore(path: "/nonexistent/queue.sqlite"), limits: QueueLimits(), clock: SystemClock())
        let item = try QueueItem.sample()
        let error = await #expect(throws: QueueError.self) { _ = try await writer.insert(item) }
        #expect(error?.code == .unavailable)
    }

    /// queue.no-ticket-no-row
    @Test func anEntryWithoutRoomFailsAlone() async throws {
        let writer = QueueWriter(FailingStore(), limits: QueueLimits(), clock: SystemClock())
        let hold = await ThreadHold(of: writer)
        let codes = try await withThrowingTaskGroup(of: (Int, QueueError.Code?).self) { group in
            for number in 0..<20 {
                let item = try QueueItem.sample(number % 7 == 3 ? "large" : "\(number)")
                group.addTask {
                    do throws(QueueError) { _ = try await writer.insert(item) } catch {
                        return (number, error.code)
                    }
                    return (number, nil)
                }
            }
            while writer.waitingCount < 20 { await Task.yield() }
            hold.release()
            return try await group.reduce(into: [Int: QueueError.Code]()) { $0[$1.0] = $1.1 }
        }
        #expect(codes == [3: .full, 10: .full, 17: .full])
        let stored = try await writer.perform { (store) throws(QueueError) in try store.counts() }
        #expect(stored == [.waiting: 17])
    }

    /// After a failed sync it is not known what the disk has: none of a batch is stored once more.
    @Test func otherErrorsAreNotTriedAgain() async throws {
        let writer = QueueWriter(FailingStore(), limits: QueueLimits(), clock: SystemClock())
        let hold = await ThreadHold(of: writer)
        await withTaskGroup(of: QueueError.Code?.self) { group in
            for text in ["1", "fails", "2"] {
                group.addTask {
                    do { _ = try await writer.insert(.sample(text)) } catch {
                        return (error as? QueueError)?.code
                    }
                    return nil
                }
            }
            while writer.waitingCount < 3 { await Task.yield() }
            hold.release()
            for await code in group { #expect(code == .unavailable) }
        }
        #expect(try await writer.perform { (store) throws(QueueError) in try store.counts() } == [:])
    }
}
