public import GatewayCore

/// A token store in memory: for tests, and for several coordinators of one process.
public final class MemoryTokenStore: TokenStore {
    private struct Waiter {
        let id: UInt64
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var records: [TokenKey: StoredToken] = [:]
        var held: Set<TokenKey> = []
        var waiters: [TokenKey: [Waiter]] = [:]
        var lastWaiter: UInt64 = 0
    }

    private let state = Locked(State())
    private let clock: any GatewayClock

    /// Creates an empty store.
    ///
    /// - Parameter clock: the clock of deadlines.
    public init(clock: any GatewayClock = SystemClock()) { self.clock = clock }

    /// `false`.
    public var isDurable: Bool { false }

    /// Returns the record of a key; `nil` if there is none.
    public func load(_ key: TokenKey) async throws(NetworkError) -> StoredToken? {
        state.withLock { $0.records[key] }
    }

    /// Replaces a record if the stored generation matches.
    public func store(
        _ record: StoredToken, for key: TokenKey, replacing generation: UInt64
    ) async throws(NetworkError) -> Bool {
        try record.refuseGeneration()
        return state.withLock { state in
            guard (state.records[key]?.generation ?? 0) == generation else { return false }
            state.records[key] = record
            return true
        }
    }

    /// Waits until the key is not locked, in the order of arrival, and locks it.
    public func lock(_ key: TokenKey, deadline: Deadline) async throws(NetworkError) -> any TokenStoreLock {
        let id = state.withLock { state -> UInt64? in
            if state.held.insert(key).inserted { return nil }
            state.lastWaiter += 1
            return state.lastWaiter
        }
        guard let id else { return Lock(store: self, key: key) }
        let alarm = clock.alarm(at: deadline.instant) { [self] in leave(key, id) }
        let isMine = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                enqueue(Waiter(id: id, continuation: continuation), key, deadline)
            }
        } onCancel: {
            leave(key, id)
        }
        alarm.cancel()
        if isMine { return Lock(store: self, key: key) }
        throw Task.isCancelled ? .lockCancelled : .storeIsBusy
    }

    private func enqueue(_ waiter: Waiter, _ key: TokenKey, _ deadline: Deadline) {
        let now = clock.now
        let answer = state.withLock { state -> Bool? in
            if state.held.insert(key).inserted { return true }
            // A cancellation or deadline before this point found no waiter to resume; a later one finds it.
            if Task.isCancelled || deadline.hasPassed(at: now) { return false }
            state.waiters[key, default: []].append(waiter)
            return nil
        }
        if let answer { waiter.continuation.resume(returning: answer) }
    }

    private func leave(_ key: TokenKey, _ id: UInt64) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters[key]?.firstIndex(where: { $0.id == id }) else { return nil }
            return state.waiters[key]?.remove(at: index)
        }
        waiter?.continuation.resume(returning: false)
    }

    private func release(_ key: TokenKey) {
        let next = state.withLock { state -> Waiter? in
            guard var waiters = state.waiters[key], !waiters.isEmpty else {
                state.waiters[key] = nil
                state.held.remove(key)
                return nil
            }
            let next = waiters.removeFirst()
            state.waiters[key] = waiters
            return next
        }
        next?.continuation.resume(returning: true)
    }

    private final class Lock: TokenStoreLock {
        private let store: MemoryTokenStore
        private let key: TokenKey
        private let held = Locked(true)

        init(store: MemoryTokenStore, key: TokenKey) {
            self.store = store
            self.key = key
        }

        var isHeld: Bool { held.withLock { $0 } }

        func prepare(until deadline: Deadline?) async throws(NetworkError) {
            guard isHeld else { throw .lockLost }
        }

        func release() async { end() }

        private func end() {
            let wasHeld = held.withLock { held in
                defer { held = false }
                return held
            }
            if wasHeld { store.release(key) }
        }

        deinit { end() }
    }
}
