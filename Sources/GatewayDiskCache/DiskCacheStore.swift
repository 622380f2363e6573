public import GatewayCore
public import GatewayResilience

/// Stores the responses of an HTTP cache in a SQLite file, so that they remain after the process ends.
///
/// ```swift
/// configuration.cache = HTTPCache(store: DiskCacheStore(path: "/var/cache/my-service/http.sqlite"))
/// ```
/// The file has mode 0600, as have its `-wal` and `-shm` files; the directory must exist. Processes of the same user on the
/// same machine may share it. Nothing is opened before the first use.
///
/// It stores status, response fields and body of responses for accounts
/// (``GatewayResilience/CachePartition/durableName``), and digests of accounts, URIs and selecting request
/// fields. Responses with `Set-Cookie` are not stored, nor any request field. Deleted responses are
/// overwritten.
///
/// Each head and each body has a checksum. A damaged response is removed, a damaged file is replaced. A file
/// of a later version or of another program is not changed; the store is then empty and stores nothing. A
/// problem is thrown once, and again only after a response was stored; removals throw every time. A
/// statement waits at most 50 ms for other processes.
public final class DiskCacheStore: CacheStore {
    private let database: DiskCacheDatabase

    /// Creates a store. Nothing is read or created on disk yet.
    ///
    /// - Parameters:
    ///   - path: the path of the file; a relative path is relative to the working directory.
    ///   - byteLimit: the maximum size of the file in bytes, at least 64 KiB; smaller values are raised.
    ///     Defaults to 256 MiB. The least recently used responses are evicted first. The `-wal` file adds
    ///     about 2 MiB and the size of the largest response. While a long read of another process prevents
    ///     emptying it, nothing is stored, and beyond 8 MiB no invalidation is written: the cache then does
    ///     not use the affected responses.
    ///   - clock: the clock of the pause before opening a file is retried: none at first, then 1 s, doubled
    ///     each time up to 30 s.
    public convenience init(
        path: String, byteLimit: Int = 256 << 20, clock: any GatewayClock = SystemClock()
    ) {
        self.init(path: path, byteLimit: byteLimit, clock: clock, pageLimit: nil, isReadOnly: false)
    }

    /// - Parameters:
    ///   - pageLimit: the number of pages at which the disk is treated as full.
    ///   - isReadOnly: whether the file is opened read-only.
    ///   - fileSystem: the name of a registered VFS of SQLite; `nil` for the default one.
    ///   - onErasing: called when the file is about to be rewritten after a sign-out.
    init(
        path: String, byteLimit: Int = 256 << 20, clock: any GatewayClock = SystemClock(), pageLimit: Int?,
        isReadOnly: Bool, fileSystem: String? = nil, onErasing: (@Sendable () async -> Void)? = nil
    ) {
        database = DiskCacheDatabase(
            DiskCacheFile(path: path, isReadOnly: isReadOnly, fileSystem: fileSystem), byteLimit: byteLimit,
            clock: clock, pageLimit: pageLimit, onErasing: onErasing)
    }

    /// Always `true`.
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

    /// The current generation, for a request with this key that begins now.
    public func generation(for key: CacheKey) async throws(CacheStoreError) -> CacheGeneration {
        try await database.generation()
    }

    /// Stores a response as ``put(_:body:for:replacing:)`` does, unless a process that shares the file has
    /// made a change after the request began.
    public func put(
        _ head: CachedHead, body: [UInt8], for key: CacheKey, replacing replaced: [CachedHead.ID],
        since generation: CacheGeneration
    ) async throws(CacheStoreError) -> Int? {
        guard let key = DiskCacheKey(key) else { return nil }
        return try await database.put(head, body, key, replaced, since: generation)
    }

    /// Stores a response in place of others, and evicts the least recently used ones until it fits. Not
    /// stored are responses larger than the limit, and responses with fields whose names indicate
    /// credentials, such as `Set-Cookie`.
    @discardableResult
    public func put(
        _ head: CachedHead, body: [UInt8], for key: CacheKey, replacing replaced: [CachedHead.ID]
    ) async throws(CacheStoreError) -> Int {
        guard let key = DiskCacheKey(key) else { return 0 }
        return try await database.put(head, body, key, replaced, since: nil) ?? 0
    }

    /// Replaces the head of a stored response. If it contains fields that must not be stored, the response
    /// is removed.
    public func update(_ head: CachedHead, for key: CacheKey) async throws(CacheStoreError) {
        guard let key = DiskCacheKey(key) else { return }
        try await database.update(head, key)
    }

    /// Removes all stored responses of a key.
    public func remove(_ key: CacheKey) async throws(CacheStoreError) {
        guard let key = DiskCacheKey(key) else { return }
        try await database.remove(key)
    }

    /// Removes all stored responses of a key's origin and target in all partitions of the key's owner. The
    /// file contains none with credential fields of the caller. Responses to requests that any process has
    /// sent before are not stored.
    public func invalidate(_ key: CacheKey) async throws(CacheStoreError) {
        guard let key = DiskCacheKey(key) else { return }
        try await database.invalidate(key)
    }

    /// Removes all stored responses of an owner from the file, including its `-wal` file. From the first
    /// transaction on no process can read them; if there is no space for it, the file is removed with all
    /// responses, unless other processes use it. Then the file is rewritten, which takes about a second for
    /// 60 MiB; other processes can read in the meantime, but not write.
    ///
    /// - Throws: ``GatewayResilience/CacheStoreError``, with the code `notErased` while other processes use
    ///   the file and bytes of the responses are left in it or in the `-wal` file. Then call
    ///   ``completeRemoval(of:)``; later uses of the file retry it too.
    public func removeAll(of owner: CachePartition.Owner) async throws(CacheStoreError) {
        guard let owner = DiskCacheKey.owner(owner) else { return }
        try await database.removeAll(ofOwner: owner)
    }

    /// Removes all stored responses of the account of a login that has ended, as ``removeAll(of:)`` does.
    /// For the newest 1,024 such accounts, no process stores further responses.
    public func removeAll(ofEnded owner: CachePartition.Owner) async throws(CacheStoreError) {
        guard let owner = DiskCacheKey.owner(owner) else { return }
        try await database.removeAll(ofOwner: owner, forGood: true)
    }

    /// Removes all stored responses from the file, including its `-wal` file.
    public func removeAll() async throws(CacheStoreError) { try await database.removeAll() }

    /// Overwrites the bytes of removed responses of all owners in the file and in its `-wal` file.
    public func completeRemoval(of owner: CachePartition.Owner?) async throws(CacheStoreError) {
        try await database.completeRemovals()
    }

    /// Closes the file after the operations in progress; the next use opens it again.
    public func close() async { await database.close() }
}

extension DiskCacheStore: Redacted {}
