import GatewayCore
import Synchronization
import Testing

@testable import GatewayOfflineQueue

/// Entries that wait at the same time share a commit.
@Suite(.timeLimit(.minutes(2))) struct QueueWriterTests {
    /// Keeps the thread until it is opened.
    private final class Gate: Sendable {
        private let isOpen = Atomic(false)
        private let semaphore = TimedSemaphore()

        func open() {
            isOpen.store(true, ordering: .releasing)
            semaphore.signal()
        }
        func wait() { while !isOpen.load(ordering: .acquiring) { semaphore.wait(atMost: .seconds(1)) } }
    }

    @Test(arguments: [64, QueueWriter.mostItems + 10])
    func whatWaitsIsStoredTogether(count: Int) async throws {
        let directory = QueueDirectory()
        let writer = QueueWriter(
            SQLiteQueueStore(path: directory.file), limits: QueueLimits(), clock: SystemClock())
        let gate = Gate()
        async let held: Void = writer.perform { _ in gate.wait() }
        try await withThrowingTaskGroup(of: QueueInsertion.self) { group in
            for number in 0..<count {
                let item = try QueueItem.sample("\(number)", at: QueueTime(SystemClock()))
                group.addTask { try await writer.insert(item) }
            }
            // All of them wait, since the thread is busy.
            while writer.waitingCount < count { await Task.yield() }
            gate.open()
            var ids: Set<QueueEntry.ID> = []
            for try await case .stored(let id, _, _) in group { ids.insert(id) }
            #expect(ids.count == count)
        }
        try await held
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
}
