import GatewayCore

/// The changes of a store in memory, which determine what may still be stored: see ``CacheStore``.
///
/// One counter numbers all changes. A key has the number of its last change; ``floor`` is the number of the
/// last change of an owner, of everything, or of a key that is no longer listed.
struct CacheChanges {
    /// The maximum number of listed keys. Beyond it all are removed, and the responses of requests in
    /// progress are not stored.
    static let mostKeys = 1_024

    /// Starts at a random number, so that generations of another store are not valid here.
    private var last = UInt64.random(in: 0...UInt64.max / 2)
    private var floor: UInt64
    private var changed: [CacheKey: UInt64] = [:]

    init() { floor = last }

    /// The current generation, for requests that begin now.
    var generation: CacheGeneration { CacheGeneration(last) }

    /// Records a change of a key's origin and target, in all partitions of its owner.
    mutating func change(_ key: CacheKey) {
        if changed.count >= Self.mostKeys { changeAll() }
        last += 1
        changed[key.ofOwner] = last
    }

    /// Records a change of an owner or of everything.
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
