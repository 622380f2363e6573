import GatewayCore
import Synchronization

/// Uses a store on a separate thread, and commits waiting entries together.
///
/// A commit waits for the disk. Entries that arrive in the meantime share the next one.
final class QueueWriter: Sendable {
    /// The maximum number of entries of a commit, which limits their wait for each other.
    static let mostItems = 1_024

    private struct Waiting {
        let item: QueueItem
        let done: @Sendable (Result<QueueInsertion, QueueError>) -> Void
    }

    private struct State {
        var waiting: [Waiting] = []
        var isScheduled = false
        var commits = 0
        /// Items whose insertion has failed and may have been committed.
        var refused: [QueueItem] = []
        /// Entries that have a ticket since then: they were stored, or a duplicate refers to them.
        var claimed: Set<QueueEntry.ID> = []
    }

    /// A store that only the thread uses.
    private final class Confined: @unchecked Sendable {
        let store: any QueueStore

        init(_ store: any QueueStore) { self.store = store }
    }

    private let state = Locked(State())
    private let inProgress = Atomic(0)
    private let doubt = Atomic(false)
    private let queue: WorkQueue
    private let confined: Confined
    private let limits: QueueLimits
    private let clock: any GatewayClock

    /// - Parameters:
    ///   - store: the store. It must not be used elsewhere from now on.
    ///   - limits: the limits of stored entries.
    ///   - clock: the wall clock.
    ///   - canStart: whether the thread may be started; called before each attempt.
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

    /// Whether no caller waits for the store.
    var isIdle: Bool { inProgress.load(ordering: .acquiring) == 0 }

    /// Whether a transaction has failed and the entries were not read since: it may have been committed.
    var isInDoubt: Bool { doubt.load(ordering: .acquiring) }

    /// Records that the entries are about to be read. If reading fails, the doubt returns.
    ///
    /// - Returns: whether they must be read.
    func takeDoubt() -> Bool { doubt.exchange(false, ordering: .acquiringAndReleasing) }

    /// The number of entries that wait for a commit.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Stores an entry. It is durable when this returns, even if the task is cancelled in the meantime.
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

    /// Stores the waiting entries.
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
    /// If there is no space for all of them, the halves are stored separately, so that an entry that is too
    /// large does not affect the others. After other errors nothing is retried: the disk is read instead.
    private func store(_ batch: ArraySlice<Waiting>) {
        do throws(QueueError) {
            let results = try confined.store.insert(batch.map(\.item), limits: limits, now: QueueTime(clock))
            claim(results)
            for (waiting, result) in zip(batch, results) { waiting.done(.success(result)) }
            let missing = QueueError(.unavailable, "The store did not say what became of the entry.")
            for waiting in batch.dropFirst(results.count) { waiting.done(.failure(missing)) }
        } catch {
            guard error.code == .full, batch.count > 1 else { return end(batch, error) }
            store(batch.prefix(batch.count / 2))
            store(batch.dropFirst(batch.count / 2))
        }
    }

    /// Resumes the callers after a failed transaction, which may have been committed all the same.
    private func end(_ batch: ArraySlice<Waiting>, _ error: QueueError) {
        doubt.store(true, ordering: .releasing)
        var found: [QueueInsertion?]?
        if error.code == .unavailable {
            let items = batch.map(\.item)
            found = try? confined.store.find(items, now: QueueTime(clock))
            if found == nil { state.withLock { $0.refused = Self.latest($0.refused + items) } }
        }
        claim((found ?? []).compactMap { $0 })
        for (index, waiting) in batch.enumerated() {
            if let found, found.indices.contains(index), let insertion = found[index] {
                waiting.done(.success(insertion))
            } else {
                waiting.done(.failure(error))
            }
        }
    }

    /// Cancels entries that may have been stored without a ticket: they would be sent in addition to those
    /// that replace them.
    func cancelRefused(_ store: any QueueStore) throws(QueueError) {
        let (refused, claimed) = state.withLock { state in
            defer { state.refused = [] }
            return (state.refused, state.claimed)
        }
        guard !refused.isEmpty else { return }
        let now = QueueTime(clock)
        do throws(QueueError) {
            var unwanted = QueueSelection()
            unwanted.ids = []
            // By the idempotency key only: an entry with the same deduplication key may belong to another
            // caller.
            let items = refused.map(\.withoutDeduplication)
            for case .stored(let id, _, _)? in try store.find(items, now: now) { unwanted.ids?.insert(id) }
            unwanted.ids?.subtract(claimed)
            _ = try store.cancel(unwanted, now: now)
            state.withLock { if $0.refused.isEmpty { $0.claimed = [] } }
        } catch {
            state.withLock { $0.refused = Self.latest(refused + $0.refused) }
            throw error
        }
    }

    /// Records entries that have a ticket, while there may be others without one.
    private func claim(_ insertions: [QueueInsertion]) {
        state.withLock { state in
            guard !state.refused.isEmpty else { return }
            for insertion in insertions {
                switch insertion {
                case .stored(let id, _, _), .duplicate(let id): state.claimed.insert(id)
                case .conflict, .full: break
                }
            }
        }
    }

    /// The latest items that fit in memory.
    private static func latest(_ items: [QueueItem]) -> [QueueItem] {
        var left = QueueTable.mostBytes
        var kept: [QueueItem] = []
        for item in items.suffix(mostItems).reversed() {
            left = left.subtractingClamped(item.byteCount)
            guard left > 0 else { break }
            kept.append(item)
        }
        return kept.reversed()
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
            let run: @Sendable () -> Void = { [self] in
                do throws(QueueError) {
                    continuation.resume(returning: .success(try body(confined.store)))
                } catch {
                    doubt.store(true, ordering: .releasing)
                    continuation.resume(returning: .failure(error))
                }
            }
            let drop: @Sendable () -> Void = { [self] in
                // Nothing was read either.
                doubt.store(true, ordering: .releasing)
                continuation.resume(returning: .failure(Self.noThread))
            }
            queue.add(WorkQueue.Work(run: run, drop: drop))
        }
        return try result.get()
    }

    private static let noThread = QueueError(.unavailable, "The system gives no thread for the queue.")
}
