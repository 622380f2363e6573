import GatewayCore
import Synchronization

/// Uses a store on a thread of its own, and commits entries that wait at the same time at once.
///
/// A commit waits for the disk. Entries that come meanwhile share the next one.
final class QueueWriter: Sendable {
    /// The maximum number of entries of a commit, so that none waits long for the others.
    static let mostItems = 1_024

    private struct Waiting {
        let item: QueueItem
        let done: @Sendable (Result<QueueInsertion, QueueError>) -> Void
    }

    private struct State {
        var waiting: [Waiting] = []
        var isScheduled = false
        var commits = 0
    }

    /// A store, which only the thread touches.
    private final class Confined: @unchecked Sendable {
        let store: any QueueStore

        init(_ store: any QueueStore) { self.store = store }
    }

    private let state = Locked(State())
    private let inProgress = Atomic(0)
    private let queue: WorkQueue
    private let confined: Confined
    private let limits: QueueLimits
    private let clock: any GatewayClock

    /// - Parameters:
    ///   - store: the store. Nothing else uses it from now on.
    ///   - limits: how much is stored.
    ///   - clock: the wall clock.
    ///   - canStart: whether the system gives a thread; asked before each attempt.
    init(
        _ store: sending any QueueStore, limits: QueueLimits, clock: any GatewayClock,
        canStart: @escaping @Sendable () -> Bool = { true }
    ) {
        confined = Confined(store)
        self.limits = limits
        self.clock = clock
        queue = WorkQueue(canStart: canStart)
    }

    deinit { queue.finish() }

    /// The number of commits of entries.
    var commitCount: Int { state.withLock { $0.commits } }

    /// Whether nobody waits for the store.
    var isIdle: Bool { inProgress.load(ordering: .acquiring) == 0 }

    /// The number of entries that wait for a commit.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Stores an entry. It is durable when this returns, whether or not the task is cancelled meanwhile.
    func insert(_ item: QueueItem) async throws(QueueError) -> QueueInsertion {
        inProgress.add(1, ordering: .acquiringAndReleasing)
        defer { inProgress.subtract(1, ordering: .acquiringAndReleasing) }
        let result: Result<QueueInsertion, QueueError> = await withCheckedContinuation { continuation in
            let waiting = Waiting(item: item) { continuation.resume(returning: $0) }
            let mustSchedule = state.withLock { state in
                state.waiting.append(waiting)
                defer { state.isScheduled = true }
                return !state.isScheduled
            }
            if mustSchedule { schedule() }
        }
        return try result.get()
    }

    private func schedule() {
        queue.add(WorkQueue.Work(run: { self.commit() }, drop: { self.refuse() }))
    }

    /// Stores the entries that wait.
    private func commit() {
        let (batch, hasMore) = state.withLock { state in
            let batch = Array(state.waiting.prefix(Self.mostItems))
            state.waiting.removeFirst(batch.count)
            state.isScheduled = !state.waiting.isEmpty
            state.commits += 1
            return (batch, state.isScheduled)
        }
        store(batch[...])
        if hasMore { schedule() }
    }

    /// Stores entries in one commit.
    ///
    /// If there is no room for all of them, the halves are stored apart, so that an entry that is too large does not take its
    /// neighbours with it. After other errors nothing is tried again: what the disk has is not known.
    private func store(_ batch: ArraySlice<Waiting>) {
        do throws(QueueError) {
            let results = try confined.store.insert(batch.map(\.item), limits: limits, now: QueueTime(clock))
            for (waiting, result) in zip(batch, results) { waiting.done(.success(result)) }
            let missing = QueueError(.unavailable, "The store did not say what became of the entry.")
            for waiting in batch.dropFirst(results.count) { waiting.done(.failure(missing)) }
        } catch {
            guard error.code == .full, batch.count > 1 else {
                for waiting in batch { waiting.done(.failure(error)) }
                return
            }
            store(batch.prefix(batch.count / 2))
            store(batch.dropFirst(batch.count / 2))
        }
    }

    private func refuse() {
        let batch = state.withLock { state in
            defer {
                state.waiting = []
                state.isScheduled = false
            }
            return state.waiting
        }
        for waiting in batch { waiting.done(.failure(Self.noThread)) }
    }

    /// Runs a body with the store.
    func perform<Value: Sendable>(
        _ body: @escaping @Sendable (any QueueStore) throws(QueueError) -> Value
    ) async throws(QueueError) -> Value {
        inProgress.add(1, ordering: .acquiringAndReleasing)
        defer { inProgress.subtract(1, ordering: .acquiringAndReleasing) }
        let result: Result<Value, QueueError> = await withCheckedContinuation { continuation in
            let run: @Sendable () -> Void = { [confined] in
                do throws(QueueError) {
                    continuation.resume(returning: .success(try body(confined.store)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
            queue.add(
                WorkQueue.Work(run: run) { continuation.resume(returning: .failure(Self.noThread)) })
        }
        return try result.get()
    }

    private static let noThread = QueueError(.unavailable, "The system gives no thread for the queue.")
}
