/// Keeps responses for an ``HTTPCache``.
///
/// A store decides nothing about HTTP: it returns every head under a key, fresh or not, and the cache chooses. It may
/// remove responses at any time, such as the least recently used ones. The methods may be called at the same time by many
/// tasks. A method that throws has changed nothing that the caller has to know of: the cache treats the error as a miss
/// and sends the request.
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

    /// Stores a response in place of others. The whole change is visible to others, or nothing of it.
    ///
    /// - Parameters:
    ///   - head: the head; its ``CachedHead/bodyBytes`` is the number of bytes of the body.
    ///   - body: the body.
    ///   - replaced: the responses of the key that are removed. Those that are gone already are ignored.
    /// - Returns: the number of other responses that were removed to make room.
    @discardableResult
    func put(
        _ head: CachedHead, body: [UInt8], for key: CacheKey, replacing replaced: [CachedHead.ID]
    ) async throws(CacheStoreError) -> Int

    /// Replaces the head of a stored response and keeps its body, after a validation (RFC 9111 §3.2).
    ///
    /// - Parameter head: the new head, with the ID of the old one. Does nothing if that was removed meanwhile.
    func update(_ head: CachedHead, for key: CacheKey) async throws(CacheStoreError)

    /// Removes all stored responses of a key.
    func remove(_ key: CacheKey) async throws(CacheStoreError)

    /// Removes all stored responses of a key's origin and target in every partition of the key's owner, with and without a
    /// client certificate or credential fields set by hand (RFC 9111 §4.4).
    func invalidate(_ key: CacheKey) async throws(CacheStoreError)

    /// Removes all stored responses of an owner, with and without a client certificate or credential fields set by hand.
    func removeAll(of owner: CachePartition.Owner) async throws(CacheStoreError)

    /// Removes all stored responses.
    func removeAll() async throws(CacheStoreError)
}
