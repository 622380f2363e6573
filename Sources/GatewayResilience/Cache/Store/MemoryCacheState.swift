import GatewayCore

/// The stored responses of a ``MemoryCacheStore``, with a list of all of them by last use.
struct MemoryCacheState {
    private struct Entry {
        var head: CachedHead
        let body: [UInt8]
        let key: CacheKey
        var cost: Int
        /// Indices of the list.
        var newer: Int?
        var older: Int?
    }

    let byteLimit: Int
    /// The changes, which determine what may be stored.
    var changes = CacheChanges()
    private(set) var byteCount = 0
    private var slots: [Entry?] = []
    private var free: [Int] = []
    private var index: [CacheKey: [Int]] = [:]
    private var newest: Int?
    private var oldest: Int?

    init(byteLimit: Int) { self.byteLimit = byteLimit }

    var count: Int { slots.count - free.count }

    func heads(for key: CacheKey) -> [CachedHead] {
        guard let places = index[key] else { return [] }
        return places.compactMap { slots[$0]?.head }
    }

    mutating func body(of id: CachedHead.ID, for key: CacheKey) -> [UInt8]? {
        guard let place = index[key]?.first(where: { slots[$0]?.head.id == id }) else { return nil }
        if newest != place {
            unlink(place)
            link(place)
        }
        return slots[place]?.body
    }

    mutating func put(
        _ head: CachedHead, _ body: [UInt8], _ key: CacheKey, _ replaced: [CachedHead.ID]
    ) -> Int {
        for place in index[key] ?? [] {
            if let known = slots[place]?.head.id, known == head.id || replaced.contains(known) {
                remove(place)
            }
        }
        let cost = Self.cost(head, body.count, key)
        guard cost <= byteLimit else { return 0 }
        let place = free.popLast() ?? slots.count
        let entry = Entry(head: head, body: body, key: key, cost: cost)
        if place == slots.count { slots.append(entry) } else { slots[place] = entry }
        index[key, default: []].append(place)
        link(place)
        byteCount += cost
        return evict()
    }

    mutating func update(_ head: CachedHead, _ key: CacheKey) {
        guard let place = index[key]?.first(where: { slots[$0]?.head.id == head.id }),
            var entry = slots[place]
        else { return }
        let cost = Self.cost(head, entry.body.count, key)
        byteCount += cost - entry.cost
        entry.cost = cost
        entry.head = head
        slots[place] = entry
        _ = evict()
    }

    mutating func remove(_ key: CacheKey) {
        for place in index[key] ?? [] { remove(place) }
    }

    mutating func remove(where isRemoved: (CacheKey) -> Bool) {
        for (key, places) in index where isRemoved(key) { for place in places { remove(place) } }
    }

    mutating func removeAll() {
        let changes = changes
        self = MemoryCacheState(byteLimit: byteLimit)
        self.changes = changes
    }

    /// The size of a response, including the overhead of arrays, strings and dictionaries.
    private static func cost(_ head: CachedHead, _ bodyBytes: Int, _ key: CacheKey) -> Int {
        func size(_ fields: HTTPFields) -> Int {
            fields.reduce(0) { $0 + 64 + $1.name.rawName.utf8.count + $1.value.utf8.count }
        }
        return 512 + bodyBytes + size(head.fields) + size(head.selecting) + size(key.partition.fields)
            + key.target.utf8.count
    }

    private mutating func evict() -> Int {
        var evicted = 0
        while byteCount > byteLimit, let place = oldest {
            remove(place)
            evicted += 1
        }
        return evicted
    }

    private mutating func remove(_ place: Int) {
        guard let entry = slots[place] else { return }
        unlink(place)
        byteCount -= entry.cost
        slots[place] = nil
        free.append(place)
        index[entry.key]?.removeAll { $0 == place }
        if index[entry.key]?.isEmpty == true { index[entry.key] = nil }
    }

    private mutating func unlink(_ place: Int) {
        guard let entry = slots[place] else { return }
        if let newer = entry.newer { slots[newer]?.older = entry.older } else { newest = entry.older }
        if let older = entry.older { slots[older]?.newer = entry.newer } else { oldest = entry.newer }
        slots[place]?.newer = nil
        slots[place]?.older = nil
    }

    /// Makes it the most recently used one.
    private mutating func link(_ place: Int) {
        slots[place]?.older = newest
        if let newest { slots[newest]?.newer = place } else { oldest = place }
        newest = place
    }
}
