import GatewayCore

/// The token buckets of a retry budget, by origin. Pure: the caller passes the time.
///
/// Only buckets that are not full are stored. An origin without one has a full bucket; when there have been
/// no recent retries, nothing is stored, and requests need no work.
///
/// A bucket is *full* (not stored), *low* or *exhausted*. Transitions: full → low by a retry; low →
/// exhausted by a refused retry; low → full and exhausted → full when time and requests have filled it. An
/// exhausted bucket grants retries as soon as it has a token again; it remains exhausted until it is full,
/// so that an outage is one episode.
struct RetryBudgetStateMachine {
    /// The decision on a retry.
    enum Decision: Hashable {
        case granted
        /// - Parameter isFirst: whether it is the first refusal of the episode.
        case refused(isFirst: Bool)
    }

    private struct Bucket {
        var balance: Int64
        /// When the balance was computed.
        var instant: ContinuousClock.Instant
        var isExhausted = false
    }

    /// The cost of a retry. All sums are integers, so that they are exact.
    private static let token: Int64 = 1_000_000_000_000

    private let capacity: Int
    private let full: Int64
    private let perRequest: Int64
    private let perNanosecond: Int64
    private var buckets: [Origin: Bucket] = [:]
    /// The bucket that further origins share once there are `capacity` buckets; `nil` if it is full.
    private var shared: Bucket?

    /// - Parameter capacity: the maximum number of origins with a separate bucket.
    init(_ budget: RetryBudget, capacity: Int = 1024) {
        self.capacity = capacity
        let reserve = min(max(budget.reserve, 0), 1_000_000)
        full = Int64(reserve) * Self.token
        perRequest = Int64((Self.bounded(budget.share, by: 1) * Double(Self.token)).rounded())
        perNanosecond = Int64((Self.bounded(budget.perSecond, by: 1_000_000) * 1000).rounded())
    }

    private static func bounded(_ value: Double, by limit: Double) -> Double {
        value > 0 ? min(value, limit) : 0
    }

    /// Whether all buckets are full, so that requests need not be recorded.
    var isIdle: Bool { buckets.isEmpty && shared == nil }

    /// The number of buckets.
    var count: Int { buckets.count + (shared == nil ? 0 : 1) }

    /// The separate buckets that are not full.
    func states(at now: ContinuousClock.Instant) -> [Origin: EngineHealth.RetryBudgetState] {
        buckets.compactMapValues { bucket in
            var bucket = bucket
            refill(&bucket, now: now)
            guard bucket.balance < full else { return nil }
            return EngineHealth.RetryBudgetState(
                retries: Int(bucket.balance / Self.token), isExhausted: bucket.isExhausted)
        }
    }

    /// Records a request that is not a retry.
    ///
    /// - Returns: whether an exhausted bucket is full again.
    mutating func recordRequest(to origin: Origin, now: ContinuousClock.Instant) -> Bool {
        add(perRequest, to: origin, now: now)
    }

    /// Takes a token for a retry.
    mutating func takeRetry(to origin: Origin, now: ContinuousClock.Instant) -> Decision {
        var (bucket, isOwn) = bucket(for: origin, now: now)
        refill(&bucket, now: now)
        let decision: Decision
        if bucket.balance >= Self.token {
            bucket.balance -= Self.token
            decision = .granted
        } else {
            decision = .refused(isFirst: !bucket.isExhausted)
            bucket.isExhausted = true
        }
        if isOwn { buckets[origin] = bucket } else { shared = bucket }
        return decision
    }

    /// Returns the token of a retry that was not made.
    ///
    /// - Returns: whether an exhausted bucket is full again.
    mutating func returnRetry(to origin: Origin, now: ContinuousClock.Instant) -> Bool {
        add(Self.token, to: origin, now: now)
    }

    private mutating func add(_ amount: Int64, to origin: Origin, now: ContinuousClock.Instant) -> Bool {
        let isOwn = buckets[origin] != nil
        guard var bucket = buckets[origin] ?? shared else { return false }
        bucket.balance = min(full, bucket.balance + amount)
        refill(&bucket, now: now)
        let isFull = bucket.balance == full
        if isOwn {
            buckets[origin] = isFull ? nil : bucket
        } else {
            shared = isFull ? nil : bucket
        }
        return isFull && bucket.isExhausted
    }

    /// The bucket of an origin, and whether it is a separate one. A new one starts with the balance of the
    /// shared bucket if that is not full, because the origin may have taken tokens from it.
    private mutating func bucket(for origin: Origin, now: ContinuousClock.Instant) -> (Bucket, Bool) {
        if let bucket = buckets[origin] { return (bucket, true) }
        if buckets.count >= capacity { removeFull(now: now) }
        let bucket = shared ?? Bucket(balance: full, instant: now)
        return (bucket, buckets.count < capacity)
    }

    private mutating func removeFull(now: ContinuousClock.Instant) {
        buckets = buckets.filter { _, bucket in
            var bucket = bucket
            refill(&bucket, now: now)
            return bucket.balance < full
        }
    }

    private func refill(_ bucket: inout Bucket, now: ContinuousClock.Instant) {
        guard now > bucket.instant else { return }
        let time = bucket.instant.duration(to: now).bounded.components
        bucket.instant = now
        let (whole, isLong) = time.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (amount, isMuch) = whole.addingClamped(time.attoseconds / 1_000_000_000)
            .multipliedReportingOverflow(by: perNanosecond)
        // Both terms are at most 10¹⁸.
        bucket.balance =
            perNanosecond > 0 && (isLong || isMuch) ? full : min(full, bucket.balance + min(amount, full))
    }
}
