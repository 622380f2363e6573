/// A cumulative histogram as it is exported: the exponential buckets, beside them the explicit ones of OpenTelemetry's HTTP
/// conventions, and exemplars. At most 4.5 KiB.
struct HistogramSeries: Sendable, Equatable {
    /// The bounds of the explicit buckets, in seconds. They are no powers of 2^(1/32), so that the counts cannot be derived
    /// from the exponential buckets.
    static let bounds: [14 of Double] = [
        0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
    ]
    private static let exemplarCount = 4

    /// A span that a duration was measured in.
    struct Exemplar: Sendable, Equatable {
        /// The explicit bucket, from 0; the number of bounds for the last one.
        let bucket: Int
        let traceIDHigh: UInt64
        let traceIDLow: UInt64
        let spanID: UInt64
        let nanoseconds: UInt64
        /// Since 1970.
        let unixMilliseconds: Int64
    }

    private(set) var histogram = DurationHistogram()
    /// How many durations are in each explicit bucket; what is in none is above the last bound.
    private var explicit: [14 of UInt64] = .init(repeating: 0)
    /// The latest ones, at most one for each bucket, oldest first.
    private(set) var exemplars: [Exemplar] = []

    /// A span, and the time at which something was measured in it.
    struct Source: Sendable {
        let traceIDHigh: UInt64
        let traceIDLow: UInt64
        let spanID: UInt64
        let unixTime: Duration
    }

    /// Counts a duration.
    ///
    /// - Parameter source: the span that becomes an exemplar, if there is one.
    mutating func record(_ sample: DurationHistogram.Sample, _ source: Source? = nil) {
        histogram.record(sample)
        let bucket = Self.bucket(of: sample.nanoseconds)
        if bucket < explicit.count { explicit[bucket] &+= 1 }
        if let source { note(source, sample.nanoseconds, bucket) }
    }

    /// Counts a duration.
    mutating func record(nanoseconds: UInt64, _ source: Source? = nil) {
        record(DurationHistogram.Sample(nanoseconds: nanoseconds), source)
    }

    @inline(never)
    private mutating func note(_ source: Source, _ nanoseconds: UInt64, _ bucket: Int) {
        if let same = exemplars.firstIndex(where: { $0.bucket == bucket }) {
            exemplars.remove(at: same)
        } else if exemplars.count >= Self.exemplarCount {
            exemplars.removeFirst()
        } else if exemplars.isEmpty {
            exemplars.reserveCapacity(Self.exemplarCount)
        }
        exemplars.append(
            Exemplar(
                bucket: bucket, traceIDHigh: source.traceIDHigh, traceIDLow: source.traceIDLow,
                spanID: source.spanID, nanoseconds: nanoseconds,
                unixMilliseconds: Int64(clamping: source.unixTime.metricNanoseconds / 1_000_000)))
    }

    /// The explicit bucket of a duration. Bounds belong to the bucket below them.
    private static func bucket(of nanoseconds: UInt64) -> Int {
        let seconds = Double(nanoseconds) / 1e9
        var bucket = 0
        while bucket < bounds.count, seconds > bounds[bucket] { bucket += 1 }
        return bucket
    }

    /// Adds what another series has counted.
    mutating func merge(_ other: HistogramSeries) {
        histogram.merge(other.histogram)
        for bucket in explicit.indices { explicit[bucket] &+= other.explicit[bucket] }
        for exemplar in other.exemplars where !exemplars.contains(where: { $0.bucket == exemplar.bucket }) {
            if exemplars.count < Self.exemplarCount { exemplars.append(exemplar) }
        }
    }

    /// How many durations are at most as long as each of ``bounds``.
    var cumulativeCounts: [UInt64] {
        var sum: UInt64 = 0
        return explicit.indices.map { bucket in
            sum &+= explicit[bucket]
            return sum
        }
    }

    /// The memory of the series, in bytes.
    var byteCount: Int {
        MemoryLayout<Self>.size - MemoryLayout<DurationHistogram>.size + histogram.byteCount
            + exemplars.capacity * MemoryLayout<Exemplar>.stride
    }

    static func == (a: HistogramSeries, b: HistogramSeries) -> Bool {
        a.histogram == b.histogram && a.exemplars == b.exemplars && a.cumulativeCounts == b.cumulativeCounts
    }
}
