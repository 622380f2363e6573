import GatewayCore

/// The changes of a store in memory, by which it decides what may still be stored: see ``CacheStore``.
///
/// One number counts all changes. A key has the number of its last change, and ``floor`` is that of the last change of an owner,
/// of everything, or of a key that is not listed any more.
struct CacheChanges {
    /// The number of keys that are listed. Beyond it all are forgotten, and requests in progress store nothing.
    static let mostKeys = 1_024

    /// Random at first: a generation of another store is not one of this store.
    private var last = UInt64.random(in: 0...UInt64.max / 2)
    private var floor: UInt64
    private var changed: [CacheKey: UInt64] = [:]

    init() { floor = last }

    /// The generation of requests that begin now.
    var generation: CacheGeneration { CacheGeneration(last) }

    /// Notes a change of a key's origin and target, in all partitions of its owner.
    mutating func change(_ key: CacheKey) {
        if changed.count >= Self.mostKeys { changeAll() }
        last += 1
        changed[key.ofOwner] = last
    }

    /// Notes a change of an owner or of everything.
    mutating func changeAll() {
        last += 1
        floor = last
        changed = [:]
    }

    /// Whether a request that began at a generation may store its response.
    func admits(_ key: CacheKey, since generation: CacheGeneration) -> Bool {
        (floor...last).contains(generation.rawValue)
            && changed[key.ofOwner].map { $0 <= generation.rawValue } ?? true
    }
}
