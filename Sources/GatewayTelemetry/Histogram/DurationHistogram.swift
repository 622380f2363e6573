import GatewayCore

/// A histogram of durations that keeps their percentiles within 1.1 %, from 1 µs to 68 minutes.
///
/// Its buckets are those of OpenTelemetry's exponential histogram at the fixed scale 5. Their memory is allocated by octave,
/// on first use: a histogram of durations within a factor of 1,000 takes 1.3 KiB, none takes more than 4.1 KiB. Histograms
/// merge exactly: the merge of the parts equals the histogram of the whole.
public struct DurationHistogram: Sendable {
    private typealias Buckets = ExponentialBuckets

    /// The octaves that have memory, by bit.
    private var octaves: UInt32 = 0
    /// The counts of those octaves, 32 each, in the order of the octaves.
    private var counts: [UInt32] = []
    /// How often the count of a slot has passed 2^32.
    private var carries: [Int: UInt32] = [:]
    /// The number of durations that are too small for a slot.
    private(set) var zeroCount: UInt64 = 0
    private var total: UInt64 = 0
    private(set) var nanoseconds: UInt64 = 0
    private var leastNanoseconds = UInt64.max
    private var mostNanoseconds: UInt64 = 0

    /// Creates an empty histogram.
    public init() {}

    // MARK: Recording

    /// Counts a duration. Less than zero counts as zero.
    public mutating func record(_ duration: Duration) { record(nanoseconds: duration.metricNanoseconds) }

    /// A duration with its slot, which is determined once for several histograms.
    package struct Sample: Sendable {
        let nanoseconds: UInt64
        /// `nil` for zero.
        let slot: Int?

        package init(nanoseconds: UInt64) {
            self.nanoseconds = nanoseconds
            slot = Buckets.slot(of: Double(nanoseconds) / 1e9)
        }
    }

    /// Counts a duration.
    mutating func record(nanoseconds: UInt64) { record(Sample(nanoseconds: nanoseconds)) }

    /// Counts a duration.
    package mutating func record(_ sample: Sample) {
        let value = sample.nanoseconds
        total &+= 1
        nanoseconds = nanoseconds.addingClamped(value)
        leastNanoseconds = min(leastNanoseconds, value)
        mostNanoseconds = max(mostNanoseconds, value)
        guard let slot = sample.slot else {
            zeroCount &+= 1
            return
        }
        add(1, to: slot)
    }

    private mutating func add(_ count: UInt32, to slot: Int) {
        let index = makePosition(of: slot)
        let (sum, isOver) = counts[index].addingReportingOverflow(count)
        counts[index] = sum
        if isOver { carries[slot, default: 0] &+= 1 }
    }

    /// The position of a slot in ``counts``, which is made if there is none.
    private mutating func makePosition(of slot: Int) -> Int {
        let octave = slot / Buckets.perOctave
        let bit = UInt32(1) << UInt32(octave)
        let start = (octaves & (bit - 1)).nonzeroBitCount * Buckets.perOctave
        if octaves & bit == 0 { insertOctave(bit, at: start) }
        return start + slot % Buckets.perOctave
    }

    @inline(never)
    private mutating func insertOctave(_ bit: UInt32, at start: Int) {
        // Exactly as much as is used.
        var longer: [UInt32] = []
        longer.reserveCapacity(counts.count + Buckets.perOctave)
        longer += counts[..<start]
        longer += repeatElement(0, count: Buckets.perOctave)
        longer += counts[start...]
        counts = longer
        octaves |= bit
    }

    /// Adds what another histogram has counted.
    public mutating func merge(_ other: DurationHistogram) {
        guard other.total > 0 else { return }
        total &+= other.total
        zeroCount &+= other.zeroCount
        nanoseconds = nanoseconds.addingClamped(other.nanoseconds)
        leastNanoseconds = min(leastNanoseconds, other.leastNanoseconds)
        mostNanoseconds = max(mostNanoseconds, other.mostNanoseconds)
        if octaves == 0 {
            (octaves, counts, carries) = (other.octaves, other.counts, other.carries)
            return
        }
        for slot in other.slots {
            add(UInt32(truncatingIfNeeded: slot.count), to: slot.slot)
            let carry = UInt32(truncatingIfNeeded: slot.count >> 32)
            if carry > 0 { carries[slot.slot, default: 0] &+= carry }
        }
    }

    // MARK: Reading

    /// How many durations were counted.
    public var count: Int { Int(clamping: total) }

    /// The sum of all durations, at most 584 years.
    public var sum: Duration { .nanoseconds(Int64(clamping: nanoseconds)) }

    /// The mean of all durations; `nil` without any.
    public var mean: Duration? {
        total == 0 ? nil : .nanoseconds(Int64(clamping: nanoseconds / total))
    }

    /// The shortest duration; `nil` without any.
    public var minimum: Duration? { total == 0 ? nil : .nanoseconds(Int64(clamping: leastNanoseconds)) }

    /// The longest duration; `nil` without any.
    public var maximum: Duration? { total == 0 ? nil : .nanoseconds(Int64(clamping: mostNanoseconds)) }

    /// The duration that a share of all durations does not exceed, within 1.1 % of the exact one (nearest rank).
    ///
    /// - Parameter share: from 0 to 1: 0.95 for the 95th percentile. Other numbers count as the nearest of these.
    /// - Returns: `nil` without durations.
    public func quantile(_ share: Double) -> Duration? {
        guard total > 0 else { return nil }
        let rank = (min(1, max(0, share.isNaN ? 0 : share)) * Double(total)).rounded(.up)
        guard rank > Double(zeroCount) else { return minimum }
        var passed = Double(zeroCount)
        for slot in slots {
            passed += Double(slot.count)
            guard passed >= rank else { continue }
            let middle = (Buckets.middle(of: slot.slot) * 1e9).rounded()
            let value = UInt64(exactly: middle) ?? .max
            return .nanoseconds(Int64(clamping: min(max(value, leastNanoseconds), mostNanoseconds)))
        }
        return maximum
    }

    /// The median; `nil` without durations.
    public var p50: Duration? { quantile(0.5) }
    /// The 95th percentile; `nil` without durations.
    public var p95: Duration? { quantile(0.95) }
    /// The 99th percentile; `nil` without durations.
    public var p99: Duration? { quantile(0.99) }

    /// A slot with its count.
    struct Slot: Hashable {
        let slot: Int
        let count: UInt64
    }

    /// The slots that are not empty, in ascending order.
    var slots: some Sequence<Slot> {
        octaveNumbers.lazy.enumerated().flatMap { page, octave in
            (0..<Buckets.perOctave).lazy.compactMap { step in
                slot(octave * Buckets.perOctave + step, at: page * Buckets.perOctave + step)
            }
        }
    }

    private var octaveNumbers: some Collection<Int> {
        (0..<Buckets.octaveCount).lazy.filter { octaves & (1 << UInt32($0)) != 0 }
    }

    private func slot(_ slot: Int, at position: Int) -> Slot? {
        let low = UInt64(counts[position])
        let carry = carries.isEmpty ? 0 : UInt64(carries[slot] ?? 0)
        return low == 0 && carry == 0 ? nil : Slot(slot: slot, count: carry << 32 | low)
    }

    /// The memory of the counts, in bytes.
    var byteCount: Int { MemoryLayout<Self>.size + counts.capacity * MemoryLayout<UInt32>.size }
}

extension DurationHistogram: Equatable {
    /// Whether both have counted the same.
    public static func == (a: Self, b: Self) -> Bool {
        a.total == b.total && a.nanoseconds == b.nanoseconds && a.zeroCount == b.zeroCount
            && a.leastNanoseconds == b.leastNanoseconds && a.mostNanoseconds == b.mostNanoseconds
            && a.octaves == b.octaves && a.counts == b.counts && a.carries == b.carries
    }
}

extension DurationHistogram: CustomStringConvertible {
    /// The count and the percentiles.
    public var description: String {
        guard let p50, let p95, let p99 else { return "no durations" }
        return "\(count) durations, p50 \(p50.text), p95 \(p95.text), p99 \(p99.text)"
    }
}

extension Duration {
    /// The whole nanoseconds from 0 to 584 years: less counts as 0, more as that.
    package var metricNanoseconds: UInt64 {
        let value = attoseconds
        guard value > 0 else { return 0 }
        // A division of 128 bits takes longer than to count a duration. Up to 18 s none is needed; of longer ones, the rough
        // number is corrected.
        if let short = UInt64(exactly: value) { return short / 1_000_000_000 }
        var nanoseconds = roughNanoseconds
        guard nanoseconds < .max else { return UInt64(clamping: value / 1_000_000_000) }
        var rest = value - Int128(nanoseconds) * 1_000_000_000
        while rest < 0 {
            nanoseconds -= 1
            rest += 1_000_000_000
        }
        while rest >= 1_000_000_000, nanoseconds < .max {
            nanoseconds += 1
            rest -= 1_000_000_000
        }
        return nanoseconds
    }

    /// The nanoseconds from 0 to 584 years, within a millionth, for the steps of windows: without a division.
    package var roughNanoseconds: UInt64 {
        let value = attoseconds
        guard value > 0 else { return 0 }
        // Units of 2^30 attoseconds, which are 1.073741824 ns.
        guard let units = UInt64(exactly: value >> 30) else { return .max }
        return units.addingClamped(units.multipliedFullWidth(by: 1_360_296_554_856_532_736).high)
    }
}
