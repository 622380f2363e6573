import GatewayCore

/// A key of a ``FileTokenStore``, held, with the room that was reserved for its next record.
final class FileTokenLock: TokenStoreLock {
    private let lock: FileLock
    private let store: FileTokenStore
    private let key: TokenKey

    init(_ lock: FileLock, of key: TokenKey, in store: FileTokenStore) {
        self.lock = lock
        self.key = key
        self.store = store
    }

    deinit { store.giveUpRoomLater(of: key, under: lock) }

    var isHeld: Bool { lock.isHeld }

    func prepare(until deadline: Deadline?) async throws(NetworkError) {
        guard lock.isHeld else { throw .lockLost }
        try await store.reserve(for: key, under: lock)
    }

    func release() async {
        await store.giveUpRoom(of: key, under: lock)
        lock.end()
    }
}
