public import GatewayCore

/// The key of stored responses: the partition and the URI of the request, of the hop itself where a redirect was followed
/// (RFC 9111 §2). Only responses to `GET` are stored, so that the method is no part of it.
public struct CacheKey: Hashable, Sendable {
    /// The partition.
    public let partition: CachePartition
    /// The origin of the request.
    public let origin: Origin
    /// The path and the query of the request.
    public let target: String

    /// Makes a key.
    public init(partition: CachePartition, origin: Origin, target: String) {
        self.partition = partition
        self.origin = origin
        self.target = target
    }

    /// The same for all partitions of the owner.
    var ofOwner: CacheKey {
        CacheKey(partition: CachePartition(owner: partition.owner), origin: origin, target: target)
    }
}

extension CacheKey: Redacted {
    /// The origin; the target may hold secrets.
    public var description: String { "cache key at \(origin)" }
}
