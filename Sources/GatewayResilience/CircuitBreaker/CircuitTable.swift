import GatewayCore

/// A bounded table of breakers by key. Open, half-open and isolated ones are never removed, nor is the
/// breaker of a host as long as one of its operations has a breaker.
struct CircuitTable {
    typealias Key = CircuitBreakerRegistry.Key

    private struct Entry {
        let breaker: CircuitBreaker
        var lastUse: UInt64
    }

    private let capacity: Int
    private var entries: [Key: Entry] = [:]
    private var uses: UInt64 = 0

    /// - Parameter capacity: the maximum number of breakers, 1 or more.
    init(capacity: Int) { self.capacity = capacity }

    /// All breakers.
    var breakers: [Key: CircuitBreaker] { entries.mapValues(\.breaker) }

    /// The breaker of a key, if there is one.
    mutating func use(_ key: Key) -> CircuitBreaker? {
        guard let index = entries.index(forKey: key) else { return nil }
        uses &+= 1
        entries.values[index].lastUse = uses
        return entries.values[index].breaker
    }

    /// Adds a breaker. Returns `false` if the table is full.
    mutating func insert(_ breaker: CircuitBreaker, for key: Key) -> Bool {
        if entries.count >= capacity { removeUnused(except: key.origin) }
        guard entries.count < capacity else { return false }
        uses &+= 1
        entries[key] = Entry(breaker: breaker, lastUse: uses)
        return true
    }

    /// Removes an eighth of the breakers, so that not every new key needs a search of all of them.
    private mutating func removeUnused(except origin: Origin?) {
        var origins: Set<Origin> = []
        if let origin { origins.insert(origin) }
        for case .operation(let origin, _) in entries.keys { origins.insert(origin) }
        let unused = entries.filter { key, entry in
            if case .host(let origin) = key, origins.contains(origin) { return false }
            return entry.breaker.state == .closed
        }
        let oldest = unused.sorted { $0.value.lastUse < $1.value.lastUse }.prefix(max(1, capacity / 8))
        for (key, _) in oldest { entries[key] = nil }
    }
}
