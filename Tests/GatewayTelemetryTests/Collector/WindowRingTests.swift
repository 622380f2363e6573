import GatewayTesting
import Testing

@testable import GatewayTelemetry

@Suite struct WindowRingTests {
    /// A window has what was counted within its length, and at most one step more.
    @Test(arguments: MetricsWindow.allCases)
    func aWindowCoversItsLengthAndOneStep(window: MetricsWindow) {
        let random = SeededRandomSource(seed: TestSeed.value(3))
        let (length, step) = (window.length.metricNanoseconds, window.stepNanoseconds)
        var ring = WindowRing(window)
        var times: [UInt64] = []
        var now: UInt64 = 0
        for _ in 0..<5_000 {
            now += random.next() % (random.next() % 50 == 0 ? 2 * length : step / 3)
            times.append(now)
            ring.update(at: now) { $0.started += 1 }
            let found = ring.metrics(at: now).started
            let within = times.suffix(while: { $0 + length > now })
            let withStep = times.suffix(while: { $0 + length + step > now })
            #expect(found >= within && found <= withStep)
        }
        #expect(ring.metrics(at: now + length + step).started == 0)
    }

    @Test func anEarlierTimeCountsAsTheLatest() {
        var ring = WindowRing(.tenSeconds)
        ring.update(at: 100_000_000_000) { $0.started += 1 }
        ring.update(at: 0) { $0.started += 1 }
        #expect(ring.metrics(at: 50_000_000_000).started == 2)
        #expect(ring.metrics(at: .max).started == 0)
        ring.update(at: .max) { $0.started += 1 }
        #expect(ring.metrics(at: .max).started == 1)
    }
}

extension [UInt64] {
    /// How many at the end fulfil a condition.
    fileprivate func suffix(while condition: (UInt64) -> Bool) -> Int {
        reversed().prefix(while: condition).count
    }
}
