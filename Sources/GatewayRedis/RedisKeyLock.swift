import GatewayAuth
import GatewayCore

/// A key of a ``RedisTokenStore``, held.
final class RedisKeyLock: TokenStoreLock {
    private let lock: RedisLock
    private let owner: String
    private let key: TokenKey
    private let store: RedisTokenStore

    init(_ lock: RedisLock, owner: String, of key: TokenKey, in store: RedisTokenStore) {
        self.lock = lock
        self.owner = owner
        self.key = key
        self.store = store
    }

    var isHeld: Bool { lock.isHeld }

    func prepare() async throws(NetworkError) {
        guard isHeld else { throw .lockLost }
        try await store.prepare(key, owner: owner)
    }

    func release() async { await lock.release() }
}
