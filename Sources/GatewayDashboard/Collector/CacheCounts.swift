import GatewayCore

/// What happened in the cache, since the start and in the last minute.
struct CacheCounts: Sendable {
    struct Lookups: Sendable, Equatable {
        var hit = 0
        var stale = 0
        var miss = 0
        var revalidated = 0

        mutating func count(_ result: CacheResult) {
            switch result {
            case .hit: hit += 1
            case .stale: stale += 1
            case .miss: miss += 1
            case .revalidated: revalidated += 1
            }
        }

        mutating func add(_ other: Lookups) {
            hit += other.hit
            stale += other.stale
            miss += other.miss
            revalidated += other.revalidated
        }
    }

    private static let stepNanoseconds: UInt64 = 10_000_000_000

    private(set) var total = Lookups()
    private(set) var stored = 0
    private(set) var evicted = 0
    private(set) var storeFailures = 0
    private var steps: [7 of Lookups] = .init(repeating: Lookups())
    private var newest: UInt64 = 0

    mutating func lookUp(_ result: CacheResult, at time: UInt64) {
        move(to: time)
        total.count(result)
        steps[Int(newest % 7)].count(result)
    }

    mutating func store() { stored += 1 }
    mutating func evict(_ count: Int) { evicted = evicted.addingClamped(count) }
    mutating func failStore() { storeFailures += 1 }

    /// The lookups of the last 60 to 70 s.
    mutating func lastMinute(at time: UInt64) -> Lookups {
        move(to: time)
        var sum = Lookups()
        for index in steps.indices { sum.add(steps[index]) }
        return sum
    }

    private mutating func move(to time: UInt64) {
        let step = time / Self.stepNanoseconds
        guard step > newest else { return }
        for offset in 0..<min(7, step - newest) { steps[Int((step - offset) % 7)] = Lookups() }
        newest = step
    }
}
