import Testing

@testable import GatewayTelemetry

@Suite struct HistogramSeriesTests {
    @Test func explicitBoundsAreInclusive() {
        var series = HistogramSeries()
        for milliseconds in [5, 10, 10, 1_000, 10_000, 10_001] as [UInt64] {
            series.record(nanoseconds: milliseconds * 1_000_000)
        }
        series.record(nanoseconds: 5_000_001)
        #expect(series.cumulativeCounts == [1, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 6])
        #expect(series.histogram.count == 7)
    }

    @Test func aSeriesIsSmall() {
        var series = HistogramSeries()
        let source = HistogramSeries.Source(traceIDHigh: 1, traceIDLow: 2, spanID: 3, unixTime: .seconds(1))
        for slot in 0..<ExponentialBuckets.slotCount {
            let value = UInt64(ExponentialBuckets.middle(of: slot) * 1e9)
            series.record(nanoseconds: value, source)
        }
        #expect(series.histogram.slots.reduce(0) { sum, _ in sum + 1 } > 1_000)
        #expect(series.byteCount <= 4_608)
    }

    @Test func exemplarsAreTheLatestOfTheirBuckets() {
        var series = HistogramSeries()
        for (index, milliseconds) in [1, 7, 20, 30, 60, 8].enumerated() {
            series.record(
                nanoseconds: UInt64(milliseconds) * 1_000_000,
                .init(traceIDHigh: 0, traceIDLow: UInt64(index + 1), spanID: 1, unixTime: .seconds(index)))
        }
        #expect(series.exemplars.map(\.traceIDLow) == [3, 4, 5, 6])
        #expect(series.exemplars.map(\.bucket) == [2, 3, 4, 1])
        #expect(series.exemplars.map(\.unixMilliseconds) == [2_000, 3_000, 4_000, 5_000])
    }

    @Test func seriesMerge() {
        var (whole, first, second) = (HistogramSeries(), HistogramSeries(), HistogramSeries())
        for (index, sample) in Distribution.lognormal.samples(1_000).enumerated() {
            whole.record(nanoseconds: sample)
            if index % 3 == 0 {
                first.record(nanoseconds: sample)
            } else {
                second.record(nanoseconds: sample)
            }
        }
        first.merge(second)
        #expect(first == whole)
    }
}
