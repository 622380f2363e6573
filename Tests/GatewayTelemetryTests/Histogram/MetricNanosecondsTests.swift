import GatewayCore
import GatewayTelemetry
import TestTiers
import Testing

/// Durations as metrics count them.
@Suite struct MetricNanosecondsTests {
    @Test(arguments: [0, 1, 59, 61, 63, 64, 70, 80, 90, 93, 94, 95, 126]) func theyAreExact(bits: Int) {
        var generator = RepeatableRandom(seed: UInt64(bits))
        for offset in -3...3 as ClosedRange<Int128> {
            for _ in 0..<200 {
                let noise =
                    Int128(UInt64.random(in: 0...(.max), using: &generator)) >> Int128(64 - min(64, bits))
                let value = (Int128(1) << Int128(bits)) + noise + offset
                #expect(
                    Duration(attoseconds: value).metricNanoseconds
                        == (value <= 0 ? 0 : UInt64(clamping: value / 1_000_000_000)), "\(value)")
            }
        }
    }
}
