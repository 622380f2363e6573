import GatewayCore

/// The number of calls that are released per second: the server's quota if known, otherwise an estimate.
///
/// The estimate doubles each second until the first rejection, which halves it. After that it grows by 0.05
/// with each call, at most by 0.75 %, and each further rejection reduces it by 30 % (additive increase,
/// multiplicative decrease): at most about one of 40 calls is rejected. It grows only while calls wait,
/// because an unused pace says nothing about the server.
struct RatePace: Hashable, Sendable {
    /// The fastest pace, in calls per second.
    static let fastest = 10_000.0

    private let first: Double
    private let slowest: Double
    /// Calls per second; `nil` if unknown.
    private(set) var perSecond: Double?
    /// The quota of the server, if its window is known exactly. A pace never exceeds it.
    private(set) var ceiling: Double?
    private(set) var isSearching = true

    init(_ policy: RateGatePolicy) {
        first = policy.firstPace
        slowest = policy.slowestPace
    }

    /// A quota of a server.
    struct Quota: Hashable, Sendable {
        /// Calls per second.
        let perSecond: Double
        /// Whether the server named the window. Otherwise it was inferred from the times of resets.
        let isExact: Bool
    }

    /// Records a rejected call, or the last one of a quota.
    ///
    /// - Parameters:
    ///   - quota: the quota, if it is known.
    ///   - wasPaced: whether the call was rejected although it was released at this pace.
    mutating func limit(to quota: Quota?, wasPaced: Bool) {
        let known = perSecond
        if let quota {
            ceiling = quota.isExact ? bounded(quota.perSecond) : nil
            perSecond = min(wasPaced ? known ?? quota.perSecond : quota.perSecond, quota.perSecond)
        }
        guard wasPaced else {
            if quota != nil { isSearching = false }
            return set(perSecond ?? first)
        }
        set((perSecond ?? first) * (isSearching ? 0.5 : 0.7))
        isSearching = false
    }

    /// Records an accepted call while others wait.
    mutating func grow() {
        guard let perSecond else { return }
        set(perSecond + (isSearching ? min(0.7, 0.7 * perSecond) : min(0.05, 0.0075 * perSecond)))
    }

    private mutating func set(_ pace: Double) { perSecond = min(bounded(pace), ceiling ?? Self.fastest) }

    private func bounded(_ pace: Double) -> Double { min(max(pace, slowest), Self.fastest) }

    /// The time between two calls, in whole microseconds.
    ///
    /// - Parameter jitter: from 0 to 1; up to a tenth is added.
    func step(jitter: Double) -> Duration {
        .microseconds(Int64((1_000_000 / (perSecond ?? first) * (1 + 0.1 * jitter)).rounded(.up)))
    }
}
