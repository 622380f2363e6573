import Testing

@testable import GatewayTelemetry

#if canImport(Glibc)
    import Glibc
#endif

@Suite struct ExponentialBucketsTests {
    /// Each bound belongs to the bucket below it, and the next number above it to the next one.
    @Test func boundsBelongToTheBucketBelow() {
        var lower = 0.0
        for slot in 0..<ExponentialBuckets.slotCount - 1 {
            let bound = ExponentialBuckets.upperBound(of: slot)
            #expect(ExponentialBuckets.slot(of: bound) == slot)
            #expect(ExponentialBuckets.slot(of: bound.nextUp) == slot + 1)
            let exact = exp2(Double(ExponentialBuckets.firstIndex + slot + 1) / 32)
            #expect(abs(bound - exact) <= 4 * exact.ulp)
            // What is told of the values of a bucket is at most 1.1 % from each of them.
            let middle = ExponentialBuckets.middle(of: slot)
            #expect(ExponentialBuckets.slot(of: middle) == slot && bound - middle <= 0.011 * bound)
            if slot > 0 { #expect(middle - lower <= 0.011 * lower) }
            lower = bound
        }
    }

    @Test func whatIsOutsideIsAtTheEnds() {
        for value in [0, -1, -.infinity, .nan, 1e-9, ExponentialBuckets.zeroThreshold] {
            #expect(ExponentialBuckets.slot(of: value) == nil)
        }
        #expect(ExponentialBuckets.slot(of: ExponentialBuckets.zeroThreshold.nextUp) == 0)
        for value in [4_096, 1e9, Double.greatestFiniteMagnitude, .infinity] {
            #expect(ExponentialBuckets.slot(of: value) == ExponentialBuckets.slotCount - 1)
        }
    }
}
