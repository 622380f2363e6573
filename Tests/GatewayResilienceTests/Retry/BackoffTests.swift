import GatewayCore
import GatewayResilience
import GatewayTesting
import Testing

@Suite struct BackoffTests {
    @Test(arguments: [(1, 1), (2, 2), (3, 4), (5, 16), (6, 32), (7, 32), (64, 32), (1000, 32), (Int.max, 32)])
    func exponentialDoublesUpToItsCap(attempt: Int, seconds: Int) {
        let backoff = Backoff.exponential(base: .seconds(1), cap: .seconds(32))
        #expect(backoff.delay(after: attempt) == .seconds(seconds))
    }

    @Test(arguments: [(1, 2), (2, 4), (3, 6), (5, 10), (6, 10), (0, 2), (Int.max, 10), (Int.min, 2)])
    func linearGrowsEvenlyUpToItsCap(attempt: Int, seconds: Int) {
        let backoff = Backoff.linear(base: .seconds(2), cap: .seconds(10))
        #expect(backoff.delay(after: attempt) == .seconds(seconds))
        #expect(Backoff.linear(base: .zero, cap: .seconds(1)).delay(after: attempt) == .zero)
    }

    @Test(arguments: [(3, 4), (0, 1), (Int.max, Int.max)])
    func retriesAreAttemptsAfterTheFirst(retries: Int, attempts: Int) {
        let policy = ExponentialRetryPolicy(maxRetries: retries, baseDelay: .milliseconds(100))
        #expect(policy.maximumAttempts == attempts)
        #expect(policy.backoff == .exponential(base: .milliseconds(100), cap: .seconds(30)))
        #expect(policy.throttledBackoff == .exponential(base: .seconds(1), cap: .seconds(30)))
    }

    @Test func errorsCanBeChosen() {
        func isRetried(
            _ code: NetworkError.Code, _ errors: Set<NetworkError.Code>?, phase: NetworkError.Phase? = nil
        ) -> Bool {
            let outcome = AttemptOutcome(
                attempt: 1, method: .get, error: NetworkError(code, "m", phase: phase))
            let policy = ExponentialRetryPolicy(retryableErrors: errors)
            return policy.decision(after: outcome, random: SeededRandomSource(seed: 1)) != .stop
        }
        #expect(isRetried(.connectionLost, nil) && !isRetried(.other, nil))
        #expect(!isRetried(.connectionLost, [.other]) && isRetried(.other, [.other]))
        #expect(!isRetried(.timeout, [.timeout], phase: .call))
        #expect(isRetried(.timeout, [.timeout], phase: .receive))
    }

    @Test func noAttemptOverflows() {
        let backoff = Backoff.exponential(base: .nanoseconds(1), cap: .seconds(Int64.max / 4))
        for attempt in -3...130 { #expect(backoff.delay(after: attempt) >= .zero) }
        #expect(Backoff.exponential(base: .zero, cap: .seconds(1)).delay(after: 9) == .zero)
        #expect(Backoff.fixed(.seconds(-1)).delay(after: 1) == .zero)
    }

    @Test(arguments: [
        (Jitter.none, 1.0, 1.0), (.full, 0.0, 1.0), (.proportional(0.1), 0.9, 1.1),
        (.additive(0.3), 1.0, 1.3),
    ])
    func jitterStaysInItsRangeAndFillsIt(jitter: Jitter, low: Double, high: Double) {
        let random = SeededRandomSource(seed: TestSeed.value(5))
        let delays = (0..<10_000).map { _ in jitter.spread(.seconds(1), random: random) / .seconds(1) }
        #expect(delays.allSatisfy { $0 >= low - 1e-9 && $0 <= high + 1e-9 })
        guard high > low else { return }
        // Evenly, up to both ends: a tenth of the delays in each tenth of the range.
        var counts = [Int](repeating: 0, count: 10)
        for delay in delays { counts[min(9, Int((delay - low) / (high - low) * 10))] += 1 }
        #expect(counts.allSatisfy { (850...1150).contains($0) }, "\(counts)")
        let edge = (high - low) / 100
        #expect(delays.contains { $0 < low + edge } && delays.contains { $0 > high - edge })
    }

    @Test func theSameSeedGivesTheSameSchedule() {
        func schedule(seed: UInt64) -> [RetryDecision] {
            let random = SeededRandomSource(seed: seed)
            return (1...6).map {
                ExponentialRetryPolicy.aggressive.decision(
                    after: AttemptOutcome(attempt: $0, method: .get, status: 503), random: random)
            }
        }
        #expect(schedule(seed: 3) == schedule(seed: 3))
        #expect(schedule(seed: 3) != schedule(seed: 4))
    }

    @Test(arguments: [
        (ExponentialRetryPolicy.standard, 3), (.patient, 5), (.aggressive, 10), (.moderate, 3), (.server, 4),
        (.never, 1), (.attempts(7), 7), (.attempts(-2), 1),
    ])
    func presetsStopAfterTheirAttempts(policy: ExponentialRetryPolicy, attempts: Int) {
        let random = SeededRandomSource(seed: 1)
        var made = 1
        while case .retry = policy.decision(
            after: AttemptOutcome(attempt: made, method: .get, status: 503), random: random)
        {
            made += 1
        }
        #expect(made == attempts)
    }

    @Test func throttlingBacksOffLonger() {
        let policy = ExponentialRetryPolicy(jitter: .none)
        let random = SeededRandomSource(seed: 1)
        func decision(_ status: Int) -> RetryDecision {
            policy.decision(after: AttemptOutcome(attempt: 1, method: .get, status: status), random: random)
        }
        #expect(decision(503) == .retry(after: .milliseconds(50)))
        #expect(decision(429) == .retry(after: .seconds(1)))
    }
}
