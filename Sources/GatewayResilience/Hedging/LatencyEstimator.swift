import GatewayCore

/// Estimates a percentile of the latest latencies, with about 450 bytes.
///
/// It counts latencies in classes that are 1/8 octave wide, from 64 µs to 18 minutes, so that an estimate is
/// at most 12.5 % too high and never too low. Every 512 latencies all counts are halved, so that recent
/// latencies weigh more.
struct LatencyEstimator: Sendable {
    /// The minimum number of latencies for an estimate.
    static let leastSamples = 50
    /// The number of latencies after which counts are halved.
    static let window = 512
    /// The number of latencies between updates of the estimate.
    private static let refresh = 16
    private static let octaves = 24
    private static let steps = 8
    private static let smallest: Int64 = 1 << 16

    private var counts: [UInt16] = []
    private var samples = 0
    private var sinceRefresh = 0
    /// The estimate; `nil` until there are enough latencies.
    private(set) var estimate: Duration?

    /// Records a latency.
    mutating func record(_ latency: Duration, percentile: Double) {
        if counts.isEmpty { counts = Array(repeating: 0, count: Self.octaves * Self.steps) }
        let index = Self.index(of: latency)
        counts[index] &+= 1
        samples += 1
        sinceRefresh += 1
        if samples >= Self.window { halve() }
        guard samples >= Self.leastSamples, estimate == nil || sinceRefresh >= Self.refresh else { return }
        sinceRefresh = 0
        estimate = Self.bound(of: classIndex(at: percentile))
    }

    private mutating func halve() {
        samples = 0
        for index in counts.indices {
            counts[index] >>= 1
            samples += Int(counts[index])
        }
    }

    /// The class of the percentile.
    private func classIndex(at percentile: Double) -> Int {
        let rank = max(1, Int((Double(samples) * percentile).rounded(.up)))
        var sum = 0
        for index in counts.indices {
            sum += Int(counts[index])
            if sum >= rank { return index }
        }
        return counts.count - 1
    }

    static func index(of latency: Duration) -> Int {
        let (seconds, attoseconds) = latency.components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 3_600 else { return octaves * steps - 1 }
        let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        guard nanoseconds >= smallest else { return 0 }
        // The position of the highest bit, and the three bits below it.
        let octave = 63 - nanoseconds.leadingZeroBitCount
        let step = Int(nanoseconds >> (octave - 3)) & (steps - 1)
        return min((octave - 16) * steps + step, octaves * steps - 1)
    }

    /// The upper bound of a class.
    static func bound(of index: Int) -> Duration {
        let (octave, step) = (index / steps + 16, index % steps)
        return .nanoseconds((Int64(steps + step + 1)) << (octave - 3))
    }
}
