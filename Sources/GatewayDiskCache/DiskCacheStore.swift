public import GatewayCore
public import GatewayResilience

/// Keeps the responses of an HTTP cache in a SQLite file, so that they outlive the process.
///
/// ```swift
/// configuration.cache = HTTPCache(store: DiskCacheStore(path: "/var/cache/my-service/http.sqlite"))
/// ```
/// The file has mode 0600, as have its `-wal` and `-shm` files; the directory must exist. Processes of the same user on the
/// same machine may share it. Nothing is opened before the first use.
///
/// What is stored: status, response fields and body of responses for accounts
/// (``GatewayResilience/CachePartition/durableName``), and digests of accounts, URIs and selecting request fields. Responses
/// with `Set-Cookie` are not stored, nor any request field. Deleted responses are overwritten.
///
/// Each head and each body has a checksum. A damaged response is removed, a damaged file is replaced; a file of a later
/// version or of another program is left alone. Meanwhile the store is empty and takes nothing. Each problem throws once, and
/// not again before a response was stored; removals throw each time. A statement waits for other processes for 50 ms at most.
public final class DiskCacheStore: CacheStore {
    private let database: DiskCacheDatabase

    /// Names a store. Nothing is read or made yet.
    ///
    /// - Parameters:
    ///   - path: the path of the file; a relative one is relative to the working directory.
    ///   - byteLimit: the maximum size of the file. Values are raised to 64 KiB. Defaults to 256 MiB. The least recently used
    ///     responses are removed first. The `-wal` file adds about 2 MiB and the size of the largest response. While another
    ///     process reads for long, so that it cannot be emptied, nothing is stored, and beyond 8 MiB no invalidation is written:
    ///     the cache then does not use what it is about.
    ///   - clock: counts the pause after which a file that cannot be opened is tried again: none at first, then 1 s, doubled each
    ///     time, 30 s at most.
    public convenience init(
        path: String, byteLimit: Int = 256 << 20, clock: any GatewayClock = SystemClock()
    ) {
        self.init(path: path, byteLimit: byteLimit, clock: clock, pageLimit: nil, isReadOnly: false)
    }

    /// - Parameters:
    ///   - pageLimit: the number of pages at which the disk counts as full.
    ///   - isReadOnly: whether the file may only be read.
    ///   - fileSystem: the name of a registered VFS of SQLite; `nil` for the default one.
    ///   - onErasing: is called when the file is about to be written anew after a sign-out.
    init(
        path: String, byteLimit: Int = 256 << 20, clock: any GatewayClock = SystemClock(), pageLimit: Int?,
        isReadOnly: Bool, fileSystem: String? = nil, onErasing: (@Sendable () async -> Void)? = nil
    ) {
        database = DiskCacheDatabase(
            DiskCacheFile(path: path, isReadOnly: isReadOnly, fileSystem: fileSystem), byteLimit: byteLimit,
            clock: clock, pageLimit: pageLimit, onErasing: onErasing)
    }

    /// `true`.
    public var isDurable: Bool { true }

    /// The heads of all stored responses of a key.
    public func heads(for key: CacheKey) async throws(CacheStoreError) -> [CachedHead] {
        guard let key = DiskCacheKey(key) else { return [] }
        return try await database.heads(for: key)
    }

    /// The body of a stored response, which counts as its use.
    public func body(
        of id: CachedHead.ID, for key: CacheKey
    ) async throws(CacheStoreError) -> [UInt8]? {
        guard let key = DiskCacheKey(key) else { return nil }
        return try await database.body(of: id, for: key)
    }

    /// The generation of requests with this key that begin now.
    public func generation(for key: CacheKey) async throws(CacheStoreError) -> CacheGeneration {
        try await database.generation()
    }

    /// Stores a response as ``put(_:body:for:replacing:)`` does, unless a change came after the beginning of its request, by any
    /// process that shares the file.
    public func put(
        _ head: CachedHead, body: [UInt8], for key: CacheKey, replacing replaced: [CachedHead.ID],
        since generation: CacheGeneration
    ) async throws(CacheStoreError) -> Int? {
        guard let key = DiskCacheKey(key) else { return nil }
        return try await database.put(head, body, key, replaced, since: generation)
    }

    /// Stores a response in place of others, and removes the least recently used ones until it fits. A response larger than
    /// the limit is not stored, nor one with a field that is named as credentials are, such as `Set-Cookie`.
    @discardableResult
    public func put(
        _ head: CachedHead, body: [UInt8], for key: CacheKey, replacing replaced: [CachedHead.ID]
    ) async throws(CacheStoreError) -> Int {
        guard let key = DiskCacheKey(key) else { return 0 }
        return try await database.put(head, body, key, replaced, since: nil) ?? 0
    }

    /// Replaces the head of a stored response. Fields that must not be stored remove the response.
    public func update(_ head: CachedHead, for key: CacheKey) async throws(CacheStoreError) {
        guard let key = DiskCacheKey(key) else { return }
        try await database.update(head, key)
    }

    /// Removes all stored responses of a key.
    public func remove(_ key: CacheKey) async throws(CacheStoreError) {
        guard let key = DiskCacheKey(key) else { return }
        try await database.remove(key)
    }

    /// Removes all stored responses of a key's origin and target in every partition of the key's owner. The file holds none
    /// with credential fields set by hand. Requests that any process has sent before store nothing there.
    public func invalidate(_ key: CacheKey) async throws(CacheStoreError) {
        guard let key = DiskCacheKey(key) else { return }
        try await database.invalidate(key)
    }

    /// Removes all stored responses of an owner from the file, its `-wal` file included. From the first transaction on no process
    /// can read them; if there is no room for it, the file is removed with all responses, unless other processes use it. Then the
    /// file is written anew, which takes a second for some 60 MiB: others read meanwhile, and cannot write.
    ///
    /// - Throws: ``GatewayResilience/CacheStoreError``, with the code `notErased` while other processes use the file: bytes of
    ///   the responses are left in it or in the `-wal` file. Call ``completeRemoval(of:)`` then; a later use of the file tries it,
    ///   too.
    public func removeAll(of owner: CachePartition.Owner) async throws(CacheStoreError) {
        guard let owner = DiskCacheKey.owner(owner) else { return }
        try await database.removeAll(ofOwner: owner)
    }

    /// Removes all stored responses of the account of a login that has ended, as ``removeAll(of:)`` does, and stores none any more
    /// for the newest 1,024 of them, by any process.
    public func removeAll(ofEnded owner: CachePartition.Owner) async throws(CacheStoreError) {
        guard let owner = DiskCacheKey.owner(owner) else { return }
        try await database.removeAll(ofOwner: owner, forGood: true)
    }

    /// Removes all stored responses from the file, its `-wal` file included.
    public func removeAll() async throws(CacheStoreError) { try await database.removeAll() }

    /// Overwrites what removed responses of any owner have left in the file and in its `-wal` file.
    public func completeRemoval(of owner: CachePartition.Owner?) async throws(CacheStoreError) {
        try await database.completeRemovals()
    }

    /// Closes the file when what is in progress has ended; the next use opens it again.
    public func close() async { await database.close() }
}

extension DiskCacheStore: Redacted {}
