/// Keeps responses for an ``HTTPCache``.
///
/// A store decides nothing about HTTP: it returns every head under a key, fresh or not, and the cache chooses. It may
/// remove responses at any time, such as the least recently used ones. The methods may be called at the same time by many
/// tasks, and must not block their threads. A method that throws has changed nothing that the caller has to know of: the
/// cache treats the error as a miss and sends the request.
///
/// **Changes.** What a request brings must not be stored when a change came after its beginning: an unsafe request to its URI, or
/// the sign-out of its owner. A cache that asked for that and then stored would be late for a change in between, so that the store
/// decides, in one step for all tasks and processes that share it:
/// 1. Each ``invalidate(_:)``, ``removeAll(of:)`` and ``removeAll()`` is a change. It takes the next number of the store, notes it
///    for its origin and target, for its owner or for everything, and makes the responses that are there unreadable for everyone,
///    all in one step. Then it removes them.
/// 2. Before a request is sent, the cache asks for the ``generation(for:)`` of its key: the number of the last change.
/// 3. ``put(_:body:for:replacing:since:)`` compares and stores in one step: it stores nothing if a change of the key's origin and
///    target, of its owner or of everything came after that generation.
///
/// A store may forget changes and refuse more than it must. A generation of another store, or of one that was replaced since, is
/// refused. ``remove(_:)`` is no change, and ``update(_:for:)`` does nothing for a response that is gone.
///
/// A durable store (``isDurable``) refuses keys whose partition has no ``CachePartition/durableName``: it returns nothing
/// for them and stores nothing. The cache does not call it with such keys.
public protocol CacheStore: Sendable {
    /// Whether stored responses outlive the process.
    var isDurable: Bool { get }

    /// The heads of all stored responses of a key. Their order does not matter.
    func heads(for key: CacheKey) async throws(CacheStoreError) -> [CachedHead]

    /// The body of a stored response: exactly the bytes that were stored with it, or an error.
    ///
    /// - Returns: `nil` if the response was removed meanwhile.
    func body(of id: CachedHead.ID, for key: CacheKey) async throws(CacheStoreError) -> [UInt8]?

    /// The generation of requests with this key that begin now. The partition of a request may change when it is stamped, so that
    /// a generation counts for all keys of the store.
    func generation(for key: CacheKey) async throws(CacheStoreError) -> CacheGeneration

    /// Stores a response in place of others, unless a change came after the beginning of its request. The whole of it is visible
    /// to others, or nothing.
    ///
    /// - Parameters:
    ///   - head: the head; its ``CachedHead/bodyBytes`` is the number of bytes of the body.
    ///   - body: the body.
    ///   - replaced: the responses of the key that are removed. Those that are gone already are ignored.
    ///   - generation: that of the key when the request began.
    /// - Returns: the number of other responses that were removed to make room; `nil` if a change came in between.
    func put(
        _ head: CachedHead, body: [UInt8], for key: CacheKey, replacing replaced: [CachedHead.ID],
        since generation: CacheGeneration
    ) async throws(CacheStoreError) -> Int?

    /// Replaces the head of a stored response and keeps its body, after a validation (RFC 9111 §3.2).
    ///
    /// - Parameter head: the new head, with the ID of the old one. Does nothing if that was removed meanwhile.
    func update(_ head: CachedHead, for key: CacheKey) async throws(CacheStoreError)

    /// Removes all stored responses of a key.
    func remove(_ key: CacheKey) async throws(CacheStoreError)

    /// Removes all stored responses of a key's origin and target in every partition of the key's owner, with and without a
    /// client certificate or credential fields set by hand (RFC 9111 §4.4).
    func invalidate(_ key: CacheKey) async throws(CacheStoreError)

    /// Removes all stored responses of an owner, with and without a client certificate or credential fields set by hand, and those of
    /// accounts of several credentials, joined by `|`, that the owner is one of.
    ///
    /// It has returned when no byte of them is left in the store. A durable store that has made them unreadable, but cannot
    /// overwrite them yet, throws ``CacheStoreError/Code/notErased``; the cache calls ``completeRemoval(of:)`` then.
    func removeAll(of owner: CachePartition.Owner) async throws(CacheStoreError)

    /// Removes all stored responses of the account of one login, which has ended and never comes again, as ``removeAll(of:)`` does.
    /// From then on nothing is stored for it, whenever its request began: a process that has not heard of the end may still use
    /// the login's token. By default the same as ``removeAll(of:)``, which does for a store of one process.
    func removeAll(ofEnded owner: CachePartition.Owner) async throws(CacheStoreError)

    /// Removes all stored responses.
    func removeAll() async throws(CacheStoreError)

    /// Tries again to overwrite the bytes of responses whose removal has thrown ``CacheStoreError/Code/notErased``. It is no
    /// change: what requests bring that have begun since that removal is stored. By default makes the removal once more.
    ///
    /// Changes of others in between must not keep it from returning: two processes that sign out at the same time would keep each
    /// other from it for ever.
    ///
    /// - Parameter owner: the owner whose responses were removed; `nil` if all were.
    /// - Throws: ``CacheStoreError`` while bytes of them are left.
    func completeRemoval(of owner: CachePartition.Owner?) async throws(CacheStoreError)
}

extension CacheStore {
    /// Removes all stored responses of the owner.
    public func removeAll(ofEnded owner: CachePartition.Owner) async throws(CacheStoreError) {
        try await removeAll(of: owner)
    }

    /// Makes the removal once more.
    public func completeRemoval(of owner: CachePartition.Owner?) async throws(CacheStoreError) {
        if let owner { try await removeAll(of: owner) } else { try await removeAll() }
    }
}
