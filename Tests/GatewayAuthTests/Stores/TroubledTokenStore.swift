import GatewayAuth
import GatewayCore
import GatewayTesting

/// A store that fails when it is told to, holds its writers back, and notes what is done with it.
final class TroubledTokenStore: TokenStore {
    struct Trouble {
        var load: NetworkError?
        var store: NetworkError?
        var lock: NetworkError?
        var prepare: NetworkError?
        /// The write takes place, and its caller hears of a failure.
        var losesAnswers = false
        /// Refuses to replace records though there is no conflict.
        var refuses = false
        /// Locks are lost without their holder's doing.
        var losesLocks = false
        var storeGate: Gate?
        var log: [String] = []
    }

    let sound: MemoryTokenStore
    let trouble = Locked(Trouble())

    init(_ sound: MemoryTokenStore = MemoryTokenStore()) { self.sound = sound }

    var log: [String] { trouble.withLock { $0.log } }
    func set(_ change: @Sendable (inout Trouble) -> Void) { trouble.withLock { change(&$0) } }

    static let failure = NetworkError(.tokenStoreFailed, "the store is down")

    func load(_ key: TokenKey) async throws(NetworkError) -> StoredToken? {
        let failure = trouble.withLock { trouble in
            trouble.log.append("load")
            return trouble.load
        }
        if let failure { throw failure }
        return try await sound.load(key)
    }

    func store(
        _ record: StoredToken, for key: TokenKey, replacing generation: UInt64
    ) async throws(NetworkError) -> Bool {
        let (failure, gate, losesAnswer, refuses) = trouble.withLock { trouble in
            trouble.log.append("store \(record.generation)")
            return (trouble.store, trouble.storeGate, trouble.losesAnswers, trouble.refuses)
        }
        if refuses { return false }
        await gate?.pass()
        if losesAnswer { _ = try await sound.store(record, for: key, replacing: generation) }
        if let failure { throw failure }
        return try await sound.store(record, for: key, replacing: generation)
    }

    func lock(_ key: TokenKey, deadline: Deadline) async throws(NetworkError) -> any TokenStoreLock {
        let failure = trouble.withLock { trouble in
            trouble.log.append("lock")
            return trouble.lock
        }
        if let failure { throw failure }
        return Lock(inner: try await sound.lock(key, deadline: deadline), store: self)
    }

    private struct Lock: TokenStoreLock {
        let inner: any TokenStoreLock
        let store: TroubledTokenStore
        var isHeld: Bool { inner.isHeld && !store.trouble.withLock { $0.losesLocks } }
        func prepare(until deadline: Deadline?) async throws(NetworkError) {
            store.set { $0.log.append(deadline == nil ? "prepare" : "extend") }
            if let failure = store.trouble.withLock({ $0.prepare }) { throw failure }
            try await inner.prepare(until: deadline)
        }
        func release() async {
            store.set { $0.log.append("release") }
            await inner.release()
        }
    }
}
