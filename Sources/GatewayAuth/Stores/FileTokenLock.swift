import GatewayCore

/// The lock of a key in a ``FileTokenStore``, with the preparations for its next record.
final class FileTokenLock: TokenStoreLock {
    private let lock: FileLock
    private let store: FileTokenStore
    private let key: TokenKey
    private let number = UInt64.random(in: 0...UInt64.max)

    init(_ lock: FileLock, of key: TokenKey, in store: FileTokenStore) {
        self.lock = lock
        self.key = key
        self.store = store
    }

    deinit { store.giveUpLater(key, under: lock, number: number) }

    var isHeld: Bool { lock.isHeld }

    func prepare(until deadline: Deadline?) async throws(NetworkError) {
        guard lock.isHeld else { throw .lockLost }
        try await store.prepare(key, under: lock, number: number, until: deadline)
    }

    func release() async {
        await store.giveUp(key, under: lock, number: number)
        lock.end()
    }
}
