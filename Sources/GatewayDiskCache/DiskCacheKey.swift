import GatewayCore
import GatewayDigest
import GatewayResilience

/// The stored form of a key: digests, because paths, queries and accounts may be private.
struct DiskCacheKey: Hashable {
    /// The digest of the account, the origin and the target.
    let place: [UInt8]
    /// The same, with the digest of the client certificate's name if there is one.
    let digest: [UInt8]
    /// The digest of the account.
    let owner: [UInt8]
    /// The digests of the parts of a combined account; otherwise empty.
    let parts: [[UInt8]]

    /// `nil` if the partition must not be stored.
    init?(_ key: CacheKey) {
        guard key.partition.durableName != nil, case .account(let account) = key.partition.owner,
            let owner = Self.owner(key.partition.owner)
        else { return nil }
        // The lengths separate values whatever characters they contain.
        let origin = "\(key.origin)"
        let text = "\(account.utf8.count):\(account)\(origin.utf8.count):\(origin)\(key.target)"
        place = SHA256.digest(text.utf8)
        digest = place + (key.partition.certificate.map { SHA256.digest($0.utf8) } ?? [])
        self.owner = owner
        parts = key.partition.owner.parts.compactMap { Self.owner($0) }
    }

    /// An upper bound of the digests at this place.
    var endOfPlace: [UInt8] { place + [UInt8](repeating: 0xFF, count: place.count + 1) }

    /// The digest of an owner; `nil` if nothing is stored for it.
    static func owner(_ owner: CachePartition.Owner) -> [UInt8]? {
        guard case .account(let account) = owner else { return nil }
        return SHA256.digest("account:\(account)".utf8)
    }
}
