public import GatewayCore

/// The key of stored responses: the partition and the URI of the request; after a redirect, the URI of the
/// hop (RFC 9111 §2). It has no method, because only responses to `GET` are stored.
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

    /// The key without the partition's certificate and fields: equal for all partitions of the owner.
    var ofOwner: CacheKey {
        CacheKey(partition: CachePartition(owner: partition.owner), origin: origin, target: target)
    }
}

extension CacheKey: Redacted {
    /// The origin only, because the target may contain secrets.
    public var description: String { "cache key at \(origin)" }
}
