import GatewayCore
import Testing

/// The delays of retries, of refreshes, of key sets, of the queue and of streams.
@Suite struct ExponentialBackoffTests {
    @Test func delaysDoubleUpToTheLongest() {
        let backoff = ExponentialBackoff(base: .milliseconds(50), longest: .seconds(1))
        #expect(
            [Int.min, -1, 0, 1, 2, 3, 4, 5, 6, 7, 62, 63, 64, 65, .max].map { backoff.delay(after: $0) }
                == [50, 50, 50, 50, 100, 200, 400, 800, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000, 1_000]
                .map { .milliseconds($0) })
    }

    @Test func aHalfIsRandom() {
        let backoff = ExponentialBackoff(base: .seconds(1), longest: .seconds(3))
        #expect(backoff.delay(after: 1, chance: 0) == .milliseconds(500))
        #expect(backoff.delay(after: 2, chance: 0.5) == .milliseconds(1_500))
        #expect(backoff.delay(after: 9, chance: 1) == .seconds(3))
    }

    @Test func anyNumbersAreSafe() {
        let extremes: [Duration] = [
            .seconds(Int64.min), .seconds(-1), .zero, .nanoseconds(1), .seconds(1), .seconds(Int64.max),
        ]
        for base in extremes {
            for longest in extremes {
                let backoff = ExponentialBackoff(base: base, longest: longest)
                for failures in [Int.min, 0, 1, 40, 61, 62, 63, 64, .max] {
                    let delay = backoff.delay(after: failures)
                    #expect(delay >= .zero && delay <= max(.zero, longest))
                    #expect(backoff.delay(after: failures, chance: 1) >= .zero)
                }
            }
        }
    }
}
