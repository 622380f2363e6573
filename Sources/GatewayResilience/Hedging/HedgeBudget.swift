import GatewayCore

/// The token buckets of hedges by origin: hedges are limited to a share of the requests. Pure.
///
/// A budget begins empty, so that hedges never exceed the share, and accumulates at most ``reserve`` hedges.
/// A budget is *available* or *exhausted*. Transitions: available → exhausted by a hedge that is refused;
/// exhausted → available when half of the reserve has accumulated, so that a shortage is one episode.
struct HedgeBudget: Sendable {
    /// The decision on a hedge.
    enum Decision: Hashable {
        case granted
        /// - Parameter isFirst: whether it is the first one of the episode.
        case refused(isFirst: Bool)
    }

    private struct Bucket: Sendable {
        var balance: Int64 = 0
        var isExhausted = false
    }

    /// The cost of a hedge. All sums are integers, so that they are exact.
    private static let token: Int64 = 1_000_000_000
    /// The maximum number of accumulated hedges.
    static let reserve: Int64 = 20

    private let capacity: Int
    private let perRequest: Int64
    private var buckets: [Origin: Bucket] = [:]
    /// The bucket that further origins share once there are `capacity` buckets.
    private var shared = Bucket()

    /// - Parameter capacity: the maximum number of origins with a separate budget.
    init(share: Double, capacity: Int = 1_024) {
        self.capacity = capacity
        perRequest = share > 0 ? Int64(min(share, 1) * Double(Self.token)) : 0
    }

    /// The number of buckets.
    var count: Int { buckets.count }

    /// Records a request that is not a hedge.
    mutating func recordRequest(to origin: Origin) { add(perRequest, to: origin) }

    /// Takes a token for a hedge.
    mutating func takeHedge(to origin: Origin) -> Decision {
        update(origin) { bucket in
            guard bucket.balance >= Self.token else {
                defer { bucket.isExhausted = true }
                return .refused(isFirst: !bucket.isExhausted)
            }
            bucket.balance -= Self.token
            return .granted
        }
    }

    /// Returns the token of a hedge that was not sent.
    mutating func returnHedge(to origin: Origin) { add(Self.token, to: origin) }

    private mutating func add(_ amount: Int64, to origin: Origin) {
        update(origin) { bucket in
            bucket.balance = min(Self.reserve * Self.token, bucket.balance + amount)
            if bucket.balance >= Self.reserve * Self.token / 2 { bucket.isExhausted = false }
        }
    }

    private mutating func update<Value>(_ origin: Origin, _ change: (inout Bucket) -> Value) -> Value {
        if let index = buckets.index(forKey: origin) { return change(&buckets.values[index]) }
        guard buckets.count < capacity else { return change(&shared) }
        var bucket = Bucket()
        defer { buckets[origin] = bucket }
        return change(&bucket)
    }
}
