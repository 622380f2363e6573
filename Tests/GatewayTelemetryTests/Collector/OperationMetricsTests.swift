import GatewayTesting
import Testing

@testable import GatewayTelemetry

@Suite struct OperationMetricsTests {
    /// Calls are counted once and added to the windows by steps: at any time each window has what a ring of its own has, and the
    /// sum everything, whether or not somebody has looked before.
    @Test(arguments: 0..<4) func windowsHaveWhatIsCounted(round: UInt64) {
        let random = SeededRandomSource(seed: TestSeed.value(round))
        var (metrics, total) = (OperationMetrics(), RequestMetrics())
        var rings = MetricsWindow.allCases.map { WindowRing($0) }
        var (now, open): (UInt64, Int) = (0, 0)
        for _ in 0..<800 {
            let (step, isLong) = (random.next() % 900_000_000, random.next() % 100 == 0)
            now += isLong ? random.next() % 400_000_000_000 : step
            // Now and then a thread is late.
            let time = random.next() % 10 == 0 ? now - min(now, 3_000_000_000) : now
            let sample = DurationHistogram.Sample(nanoseconds: random.next() % 4 * 1_000_000)
            if open == 0 || random.next() % 2 == 0 {
                open += 1
                metrics.begin(at: time)
                total.started += 1
                for index in rings.indices { rings[index].update(at: time) { $0.started += 1 } }
            } else {
                open -= 1
                metrics.end(.status(503), sample, at: time)
                total.end(.status(503), sample)
                for index in rings.indices {
                    rings[index].update(at: time) { $0.end(.status(503), sample) }
                }
            }
            guard random.next() % 3 == 0 else { continue }
            total.inProgress = open
            #expect(metrics.metrics(nil, at: now) == total)
            #expect(metrics.count(\.started) == total.started)
            for (index, window) in MetricsWindow.allCases.enumerated() {
                var expected = rings[index].metrics(at: now)
                expected.inProgress = open
                #expect(metrics.metrics(window, at: now) == expected)
            }
        }
        #expect(total.started > 300)
    }

    @Test func noTimeIsTooLate() {
        var metrics = OperationMetrics()
        for time in [UInt64.max, 0, .max] { metrics.begin(at: time) }
        #expect(metrics.metrics(.tenSeconds, at: .max).started == 3)
        #expect(metrics.metrics(nil, at: 0).started == 3)
    }
}
