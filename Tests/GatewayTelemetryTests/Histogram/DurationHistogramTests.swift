import GatewayTesting
import Testing

@testable import GatewayTelemetry

@Suite struct DurationHistogramTests {
    /// The rank is exact, and ``ExponentialBucketsTests`` has the bound of each bucket.
    @Test(arguments: Distribution.allCases)
    func percentilesAreWithinTheBound(of distribution: Distribution) throws {
        let count = SoakScale.rounds(10_000)
        let samples = distribution.samples(count)
        var histogram = DurationHistogram()
        for sample in samples { histogram.record(nanoseconds: sample) }
        let sorted = samples.sorted()
        for share in [0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1] {
            let exact = Double(sorted[max(0, Int((share * Double(count)).rounded(.up)) - 1)])
            let found = Double(try #require(histogram.quantile(share)).metricNanoseconds)
            #expect(abs(found - exact) <= 0.011 * exact, "\(distribution) \(share): \(found) for \(exact)")
        }
        #expect(histogram.count == count)
        #expect(histogram.sum == .nanoseconds(Int64(samples.reduce(0, +))))
        #expect(histogram.minimum == .nanoseconds(Int64(sorted[0])))
        #expect(histogram.maximum == .nanoseconds(Int64(sorted[count - 1])))
    }

    /// A rank that is not whole is rounded up.
    @Test func ranksAreRoundedUp() throws {
        var histogram = DurationHistogram()
        histogram.record(nanoseconds: 1_000_000)
        histogram.record(nanoseconds: 100_000_000)
        #expect(try #require(histogram.quantile(0.5)) < .milliseconds(2))
        #expect(try #require(histogram.quantile(0.6)) > .milliseconds(98))
    }

    @Test func shardsMergeToTheWhole() {
        var whole = DurationHistogram()
        var shards = [DurationHistogram](repeating: DurationHistogram(), count: 16)
        for distribution in Distribution.allCases {
            for (index, sample) in distribution.samples(2_000).enumerated() {
                whole.record(nanoseconds: sample)
                shards[index % 16].record(nanoseconds: sample)
            }
        }
        whole.record(nanoseconds: 3)
        shards[5].record(nanoseconds: 3)
        for order in [Array(0..<16), Array((0..<16).reversed())] {
            var merged = DurationHistogram()
            for index in order { merged.merge(shards[index]) }
            #expect(merged == whole)
        }
        #expect(shards[0] != whole)
    }

    @Test func countsPast32BitsAreKept() {
        var doubling = DurationHistogram()
        doubling.record(.milliseconds(3))
        doubling.record(.milliseconds(5))
        for _ in 0..<40 { doubling.merge(doubling) }
        #expect(doubling.slots.map(\.count) == [1 << 40, 1 << 40])
        var single = DurationHistogram()
        single.record(.milliseconds(3))
        for _ in 0..<31 { single.merge(single) }
        for _ in 0..<2 {
            var one = DurationHistogram()
            for _ in 0..<3 { one.record(.milliseconds(3)) }
            single.merge(one)
        }
        single.merge(single)
        #expect(single.slots.map(\.count) == [(1 << 32) + 12])
        single.record(.milliseconds(3))
        #expect(single.slots.map(\.count) == [(1 << 32) + 13])
    }

    @Test func theMemoryIsThatOfTheOctavesInUse() {
        var histogram = DurationHistogram()
        #expect(histogram.byteCount < 100)
        for milliseconds in 1...1_000 { histogram.record(.milliseconds(milliseconds)) }
        #expect(histogram.byteCount < 1_600)
        for slot in 0..<ExponentialBuckets.slotCount {
            histogram.record(nanoseconds: UInt64(ExponentialBuckets.middle(of: slot) * 1e9))
        }
        #expect(histogram.byteCount <= 4_250)
    }

    @Test func nanosecondsAreThoseOfTheDuration() {
        for (duration, nanoseconds) in [
            (Duration.nanoseconds(1), 1), (.microseconds(1), 1_000), (.seconds(18), 18_000_000_000),
            (.seconds(19), 19_000_000_000), (.seconds(86_400 * 365), 31_536_000_000_000_000),
            (.zero, 0), (.seconds(-1), 0),
            (Duration(secondsComponent: 1, attosecondsComponent: 999_999_999), 1_000_000_000),
        ] as [(Duration, UInt64)] {
            #expect(duration.metricNanoseconds == nanoseconds)
            let rough = duration.roughNanoseconds
            #expect(max(rough, nanoseconds) - min(rough, nanoseconds) <= 2 + nanoseconds / 1_000_000)
        }
        for duration in [Duration.seconds(Int64.max), Duration(attoseconds: .max)] {
            #expect(duration.metricNanoseconds == .max && duration.roughNanoseconds == .max)
        }
        #expect(Duration(attoseconds: .min).metricNanoseconds == 0)
        #expect(Duration(attoseconds: .min).roughNanoseconds == 0)
    }

    @Test func extremesAreCounted() {
        var histogram = DurationHistogram()
        #expect(histogram.quantile(0.5) == nil)
        #expect(histogram.mean == nil)
        for duration in [
            Duration.zero - .seconds(1), .zero, .nanoseconds(1), .seconds(Int64.max), .seconds(Int64.min),
            Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999),
        ] {
            histogram.record(duration)
        }
        #expect(histogram.count == 6)
        #expect(histogram.zeroCount == 4)
        #expect(histogram.minimum == .zero)
        #expect(histogram.slots.map(\.slot) == [ExponentialBuckets.slotCount - 1])
        for share in [-1, 0, .nan, 0.5, 1, 2, .infinity] { #expect(histogram.quantile(share) != nil) }
        #expect(histogram.quantile(0.5) == .zero)
    }
}
