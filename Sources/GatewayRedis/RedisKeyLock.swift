import GatewayAuth
import GatewayCore

/// A key of a ``RedisTokenStore``, held.
final class RedisKeyLock: TokenStoreLock {
    private let lock: RedisLock
    private let key: TokenKey
    private let store: RedisTokenStore

    init(_ lock: RedisLock, of key: TokenKey, in store: RedisTokenStore) {
        self.lock = lock
        self.key = key
        self.store = store
    }

    var isHeld: Bool { lock.isHeld }

    func prepare(until deadline: Deadline?) async throws(NetworkError) {
        try await lock.extend(until: deadline)
        try await store.prepareWitness(of: key)
    }

    func release() async { await lock.release() }
}
