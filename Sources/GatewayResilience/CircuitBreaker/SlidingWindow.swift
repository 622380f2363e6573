import GatewayCore

/// Counts hits among calls in a sliding window of ten buckets. It does not allocate after it is made.
struct SlidingWindow: Sendable {
    private struct Bucket: Sendable {
        var hits = 0
        var calls = 0
    }

    static var bucketCount: Int { 10 }

    private let bucketMilliseconds: Int64
    private var buckets = [Bucket](repeating: Bucket(), count: bucketCount)
    /// The number of the newest bucket, counted from time 0.
    private var newest: Int64 = 0
    /// The hits in the window.
    private(set) var hits = 0
    /// The calls in the window.
    private(set) var calls = 0

    /// - Parameter length: 10 ms or more.
    init(length: Duration) {
        bucketMilliseconds = max(1, length.wholeMilliseconds / Int64(Self.bucketCount))
    }

    /// Counts a call.
    ///
    /// - Parameter milliseconds: the time, 0 or more. A time before the latest one is treated as the latest
    ///   one.
    mutating func record(isHit: Bool, at milliseconds: Int64) {
        move(to: milliseconds / bucketMilliseconds)
        let index = Int(newest % Int64(Self.bucketCount))
        buckets[index].calls += 1
        calls += 1
        guard isHit else { return }
        buckets[index].hits += 1
        hits += 1
    }

    /// Removes all calls.
    mutating func removeAll() {
        for index in buckets.indices { buckets[index] = Bucket() }
        hits = 0
        calls = 0
    }

    private mutating func move(to bucket: Int64) {
        guard bucket > newest else { return }
        guard bucket - newest < Int64(Self.bucketCount) else {
            removeAll()
            newest = bucket
            return
        }
        while newest < bucket {
            newest += 1
            let index = Int(newest % Int64(Self.bucketCount))
            hits -= buckets[index].hits
            calls -= buckets[index].calls
            buckets[index] = Bucket()
        }
    }
}

extension Duration {
    /// The duration in whole milliseconds, clamped.
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = bounded.components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
