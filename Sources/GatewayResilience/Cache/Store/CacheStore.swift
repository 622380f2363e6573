/// Keeps responses for an ``HTTPCache``.
///
/// A store does not interpret HTTP: it returns all heads of a key, fresh or not, and the cache chooses. It
/// may remove responses at any time, such as the least recently used ones. Its methods are called
/// concurrently by many tasks, and must not block their threads. A method that throws leaves no change that
/// the caller has to know of: the cache treats the error as a miss and sends the request.
///
/// **Changes.** A response must not be stored if a change came after its request began: an unsafe request to
/// its URI, or the sign-out of its owner. A cache that first checked and then stored would miss a change in
/// between. The store therefore decides in one step, for all tasks and processes that share it:
/// 1. Each ``invalidate(_:)``, ``removeAll(of:)`` and ``removeAll()`` is a change. In one step it takes the
///    store's next number, records it for its origin and target, for its owner or for everything, and makes
///    the existing responses unreadable in all processes. Then it removes them.
/// 2. Before a request is sent, the cache reads the ``generation(for:)`` of its key: the number of the last
///    change.
/// 3. ``put(_:body:for:replacing:since:)`` compares and stores in one step: it stores nothing if a change of
///    the key's origin and target, of its owner or of everything came after that generation.
///
/// A store may forget changes and refuse more responses than it must. A generation of another store, or of a
/// store that has been replaced, is refused. ``remove(_:)`` is not a change, and ``update(_:for:)`` does
/// nothing for a response that was removed.
///
/// A durable store (``isDurable``) refuses keys whose partition has no ``CachePartition/durableName``: it
/// returns nothing for them and stores nothing. The cache does not call it with such keys.
public protocol CacheStore: Sendable {
    /// Whether stored responses remain after the process ends.
    var isDurable: Bool { get }

    /// The heads of all stored responses of a key. Their order does not matter.
    func heads(for key: CacheKey) async throws(CacheStoreError) -> [CachedHead]

    /// The body of a stored response: exactly the stored bytes.
    ///
    /// - Returns: `nil` if the response was removed in the meantime.
    func body(of id: CachedHead.ID, for key: CacheKey) async throws(CacheStoreError) -> [UInt8]?

    /// The current generation, for a request with this key that begins now. The partition of a request may
    /// change when it is authenticated; a generation is therefore valid for all keys of the store.
    func generation(for key: CacheKey) async throws(CacheStoreError) -> CacheGeneration

    /// Stores a response in place of others, unless a change came after its request began. Other callers see
    /// all of it or nothing.
    ///
    /// - Parameters:
    ///   - head: the head; its ``CachedHead/bodyBytes`` is the number of bytes of the body.
    ///   - body: the body.
    ///   - replaced: the responses of the key to remove. Missing ones are ignored.
    ///   - generation: the key's generation when the request began.
    /// - Returns: the number of other responses that were evicted; `nil` if a change came in between.
    func put(
        _ head: CachedHead, body: [UInt8], for key: CacheKey, replacing replaced: [CachedHead.ID],
        since generation: CacheGeneration
    ) async throws(CacheStoreError) -> Int?

    /// Replaces the head of a stored response and keeps its body, after a validation (RFC 9111 §3.2).
    ///
    /// - Parameter head: the new head, with the ID of the old one. Does nothing if the old one was removed
    ///   in the meantime.
    func update(_ head: CachedHead, for key: CacheKey) async throws(CacheStoreError)

    /// Removes all stored responses of a key.
    func remove(_ key: CacheKey) async throws(CacheStoreError)

    /// Removes all stored responses of a key's origin and target in all partitions of the key's owner, with
    /// and without a client certificate or credential fields of the caller (RFC 9111 §4.4).
    func invalidate(_ key: CacheKey) async throws(CacheStoreError)

    /// Removes all stored responses of an owner, with and without a client certificate or credential fields
    /// of the caller, and those of combined accounts, joined by `|`, that the owner is part of.
    ///
    /// When it returns, no bytes of them are left in the store. A durable store that has made them
    /// unreadable but cannot overwrite them yet throws ``CacheStoreError/Code/notErased``; the cache then
    /// calls ``completeRemoval(of:)``.
    func removeAll(of owner: CachePartition.Owner) async throws(CacheStoreError)

    /// Removes all stored responses of the account of a login that has ended and is never used again, as
    /// ``removeAll(of:)`` does. From then on nothing is stored for it, whenever the request began: a process
    /// that does not know of the end may still use the login's token. Defaults to ``removeAll(of:)``, which
    /// is sufficient for a store of one process.
    func removeAll(ofEnded owner: CachePartition.Owner) async throws(CacheStoreError)

    /// Removes all stored responses.
    func removeAll() async throws(CacheStoreError)

    /// Retries overwriting the bytes of responses whose removal has thrown
    /// ``CacheStoreError/Code/notErased``. It is not a change: responses to requests that began after that
    /// removal are stored. Defaults to repeating the removal.
    ///
    /// Concurrent changes of others must not prevent it from returning: two processes that sign out at the
    /// same time would otherwise block each other indefinitely.
    ///
    /// - Parameter owner: the owner whose responses were removed; `nil` if all were.
    /// - Throws: ``CacheStoreError`` while bytes of them are left.
    func completeRemoval(of owner: CachePartition.Owner?) async throws(CacheStoreError)
}

extension CacheStore {
    /// Calls ``removeAll(of:)``.
    public func removeAll(ofEnded owner: CachePartition.Owner) async throws(CacheStoreError) {
        try await removeAll(of: owner)
    }

    /// Repeats the removal.
    public func completeRemoval(of owner: CachePartition.Owner?) async throws(CacheStoreError) {
        if let owner { try await removeAll(of: owner) } else { try await removeAll() }
    }
}
