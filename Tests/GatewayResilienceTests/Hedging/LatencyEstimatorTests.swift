import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

@Suite struct LatencyEstimatorTests {
    /// The value that a share of the sorted ones does not exceed.
    private func percentile(_ values: [Duration], _ share: Double) -> Duration {
        values.sorted()[max(0, Int((Double(values.count) * share).rounded(.up)) - 1)]
    }

    /// Compared with the sorted latencies, before any are forgotten.
    @Test(arguments: 0..<UInt64(SoakScale.rounds(2)), [0.5, 0.9, 0.95, 0.99])
    func anEstimateIsNeverTooLowAndLittleTooHigh(seed: UInt64, share: Double) throws {
        let random = SeededRandomSource(seed: TestSeed.value(seed))
        var estimator = LatencyEstimator()
        var latencies: [Duration] = []
        // The estimate is renewed with the 50th latency and every 16 after it.
        while latencies.count < 50 + 16 * 20 {
            // From 0.1 ms to 10 s, most of them short.
            let latency = Duration.microseconds(100 << random.int(in: 0..<17)) * (1 + random.unit())
            latencies.append(latency)
            estimator.record(latency, percentile: share)
            #expect((estimator.estimate == nil) == (latencies.count < LatencyEstimator.leastSamples))
            guard latencies.count >= 50, (latencies.count - 50) % 16 == 0 else { continue }
            let (estimate, exact) = (try #require(estimator.estimate), percentile(latencies, share))
            #expect(estimate >= exact && estimate / exact <= 1.126, "\(estimate) for \(exact)")
        }
    }

    /// What was longer ago counts less: after a few windows an old level is forgotten.
    @Test func theLatestLatenciesCount() throws {
        let random = SeededRandomSource(seed: TestSeed.value(1))
        var estimator = LatencyEstimator()
        func record(_ count: Int, around milliseconds: Int) {
            for _ in 0..<count {
                estimator.record(.milliseconds(milliseconds) * (0.5 + random.unit()), percentile: 0.95)
            }
        }
        record(10_000, around: 1_000)
        #expect(try #require(estimator.estimate) > .milliseconds(1_300))
        record(3 * LatencyEstimator.window, around: 10)
        #expect(try #require(estimator.estimate) < .milliseconds(18))
        record(100, around: 1_000)
        #expect(try #require(estimator.estimate) > .milliseconds(500))
    }

    @Test func everyDurationHasAClass() {
        var last = -1
        for exponent in 0..<60 {
            for step in 0..<8 {
                let nanoseconds = (Int64(1) << exponent) + (Int64(step) << exponent) / 8
                let index = LatencyEstimator.index(of: .nanoseconds(nanoseconds))
                #expect(index >= last && (0..<192).contains(index))
                if index > 0, index < 191 {
                    #expect(LatencyEstimator.bound(of: index) > .nanoseconds(nanoseconds))
                    #expect(LatencyEstimator.bound(of: index - 1) <= .nanoseconds(nanoseconds))
                }
                last = index
            }
        }
        for duration in [Duration.zero, .seconds(-1), .nanoseconds(-1), .seconds(Int64.min)] {
            #expect(LatencyEstimator.index(of: duration) == 0)
        }
        #expect(LatencyEstimator.index(of: .seconds(Int64.max)) == 191)
    }
}
