import GatewayCore

/// A removal of stored responses.
enum CacheChange: Hashable, Sendable {
    /// Those of a key whose newer response is not stored.
    case key(CacheKey)
    /// Those of an origin and a target, in all partitions of the owner, after a successful unsafe request.
    /// The key is ``CacheKey/ofOwner``.
    case place(CacheKey)
    /// Those of an owner that has signed out.
    case owner(CachePartition.Owner)
    /// Those of the account of a login that has ended and is never used again.
    case login(CachePartition.Owner)
    /// All.
    case all

    /// Whether it removes the responses of an owner, or all.
    var isRemoval: Bool {
        switch self {
        case .owner, .login, .all: true
        case .key, .place: false
        }
    }

    /// The changes that affect a key.
    static func about(_ key: CacheKey) -> [CacheChange] {
        let owners = [key.partition.owner] + key.partition.owner.parts
        return [.key(key), .place(key.ofOwner), .all] + owners.map { .owner($0) } + owners.map { .login($0) }
    }

    /// The change for an account whose login has ended.
    static func end(of account: String) -> CacheChange {
        CredentialIdentity.isLogin(account) ? .login(.account(account)) : .owner(.account(account))
    }

    func apply(to store: any CacheStore) async throws(CacheStoreError) {
        switch self {
        case .key(let key): try await store.remove(key)
        case .place(let key): try await store.invalidate(key)
        case .owner(let owner): try await store.removeAll(of: owner)
        case .login(let owner): try await store.removeAll(ofEnded: owner)
        case .all: try await store.removeAll()
        }
    }

    /// Completes a change that the store has already made by erasing the remaining bytes.
    func complete(in store: any CacheStore) async throws(CacheStoreError) {
        switch self {
        case .key, .place: try await apply(to: store)
        case .owner(let owner), .login(let owner): try await store.completeRemoval(of: owner)
        case .all: try await store.completeRemoval(of: nil)
        }
    }
}
