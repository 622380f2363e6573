import GatewayCore

/// A removal of stored responses.
enum CacheChange: Hashable, Sendable {
    /// Those of a key: a newer response is not stored.
    case key(CacheKey)
    /// Those of an origin and a target, in all partitions of the owner: an unsafe request was successful. The key is
    /// ``CacheKey/ofOwner``.
    case place(CacheKey)
    /// Those of an owner, who has signed out.
    case owner(CachePartition.Owner)
    /// All.
    case all

    /// Whether it removes the responses of an owner, or all.
    var isRemoval: Bool {
        switch self {
        case .owner, .all: true
        case .key, .place: false
        }
    }

    /// The changes that are about a key.
    static func about(_ key: CacheKey) -> [CacheChange] {
        let owner = key.partition.owner
        let parts: [CacheChange] = owner.parts.map { .owner($0) }
        return [.key(key), .place(key.ofOwner), .owner(owner), .all] + parts
    }

    func apply(to store: any CacheStore) async throws(CacheStoreError) {
        switch self {
        case .key(let key): try await store.remove(key)
        case .place(let key): try await store.invalidate(key)
        case .owner(let owner): try await store.removeAll(of: owner)
        case .all: try await store.removeAll()
        }
    }

    /// Completes the change in a store that has made it, but for the bytes of what it has removed.
    func complete(in store: any CacheStore) async throws(CacheStoreError) {
        switch self {
        case .key, .place: try await apply(to: store)
        case .owner(let owner): try await store.completeRemoval(of: owner)
        case .all: try await store.completeRemoval(of: nil)
        }
    }
}
