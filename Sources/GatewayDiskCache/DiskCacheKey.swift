import GatewayCore
import GatewayDigest
import GatewayResilience

/// What the file holds in place of a key: digests, since paths, queries and accounts may be private.
struct DiskCacheKey: Hashable {
    /// The digest of the partition, the origin and the target.
    let digest: [UInt8]
    /// The digest of the account.
    let owner: [UInt8]

    /// `nil` if the partition must not be stored.
    init?(_ key: CacheKey) {
        guard let name = key.partition.durableName, let owner = Self.owner(key.partition.owner) else {
            return nil
        }
        // The lengths keep values apart whatever characters they have.
        let origin = "\(key.origin)"
        let text = "\(name.utf8.count):\(name)\(origin.utf8.count):\(origin)\(key.target)"
        digest = SHA256.digest(text.utf8)
        self.owner = owner
    }

    /// The digest of an owner; `nil` if nothing of it is stored.
    static func owner(_ owner: CachePartition.Owner) -> [UInt8]? {
        guard case .account(let account) = owner else { return nil }
        return SHA256.digest("account:\(account)".utf8)
    }
}
