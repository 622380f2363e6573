import GatewayCore

/// Keeps responses in memory, up to a number of bytes. The least recently used ones are evicted first.
public final class MemoryCacheStore: CacheStore {
    private let state: Locked<MemoryCacheState>

    /// Makes a store.
    ///
    /// - Parameter byteLimit: the maximum size of all stored responses in bytes: bodies, fields, keys and
    ///   about 512 bytes of overhead each. A negative number counts as 0. Defaults to 16 MiB.
    public init(byteLimit: Int = 16 << 20) {
        state = Locked(MemoryCacheState(byteLimit: max(0, byteLimit)))
    }

    /// Always `false`.
    public var isDurable: Bool { false }

    /// The size of all stored responses in bytes, including the overhead.
    public var byteCount: Int { state.withLock { $0.byteCount } }

    /// The number of stored responses.
    public var count: Int { state.withLock { $0.count } }

    /// The heads of all stored responses of a key.
    public func heads(for key: CacheKey) -> [CachedHead] { state.withLock { $0.heads(for: key) } }

    /// The body of a stored response, which counts as its use.
    public func body(of id: CachedHead.ID, for key: CacheKey) -> [UInt8]? {
        state.withLock { $0.body(of: id, for: key) }
    }

    /// The current generation of a key, for a request that begins now.
    public func generation(for key: CacheKey) -> CacheGeneration { state.withLock { $0.changes.generation } }

    /// Stores a response as ``put(_:body:for:replacing:)`` does, unless there was a change after its request
    /// began.
    public func put(
        _ head: CachedHead, body: [UInt8], for key: CacheKey, replacing replaced: [CachedHead.ID],
        since generation: CacheGeneration
    ) -> Int? {
        state.withLock { state in
            state.changes.admits(key, since: generation) ? state.put(head, body, key, replaced) : nil
        }
    }

    /// Stores a response in place of others, and evicts the least recently used ones until it fits. A
    /// response larger than the limit is not stored.
    @discardableResult
    public func put(
        _ head: CachedHead, body: [UInt8], for key: CacheKey, replacing replaced: [CachedHead.ID]
    ) -> Int {
        state.withLock { $0.put(head, body, key, replaced) }
    }

    /// Replaces the head of a stored response.
    public func update(_ head: CachedHead, for key: CacheKey) { state.withLock { $0.update(head, key) } }

    /// Removes all stored responses of a key.
    public func remove(_ key: CacheKey) { state.withLock { $0.remove(key) } }

    /// Removes all stored responses of a key's origin and target in every partition of the key's owner.
    public func invalidate(_ key: CacheKey) {
        state.withLock { state in
            state.changes.change(key)
            state.remove {
                $0.target == key.target && $0.origin == key.origin
                    && $0.partition.owner == key.partition.owner
            }
        }
    }

    /// Removes all stored responses of an owner, and of combined accounts that the owner is part of.
    public func removeAll(of owner: CachePartition.Owner) {
        state.withLock { state in
            state.changes.changeAll()
            state.remove { $0.partition.owner.belongs(to: owner) }
        }
    }

    /// Removes all stored responses.
    public func removeAll() {
        state.withLock { state in
            state.changes.changeAll()
            state.removeAll()
        }
    }
}

extension MemoryCacheStore: Redacted {}
