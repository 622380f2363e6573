import GatewayCore
import GatewayResilience
import GatewayTesting
import Testing

/// Whatever durations, counts and shares are configured, a call ends as it should, and nothing traps.
@Suite(.timeLimit(.minutes(1))) struct ExtremeValueTests {
    private static let url = "http://127.0.0.1/x"

    /// The ends of the range that chance has.
    private struct Chance: RandomSource {
        let bits: UInt64
        func next() -> UInt64 { bits }
    }

    /// A transport that reports more attempts than can be added up.
    private struct BoastfulTransport: Transport {
        let below: ScriptedTransport

        func send(
            _ request: HTTPRequest, context: RequestContext
        ) async throws(NetworkError) -> HTTPResponse {
            do throws(NetworkError) {
                var response = try await below.send(request, context: context)
                response.exchange.attempts = .max
                return response
            } catch { throw error.with(attempts: .max) }
        }
    }

    @Test(arguments: ExtremeValues.durations)
    func aWaitIsBetweenZeroAndTheCap(duration: Duration) {
        for attempt in ExtremeValues.integers + [62, 63, 64] {
            for other in ExtremeValues.durations {
                let delay = Backoff.exponential(base: duration, cap: other).delay(after: attempt)
                #expect(delay >= .zero && delay <= max(other, .zero))
            }
            #expect(Backoff.fixed(duration).delay(after: attempt) == max(.zero, duration))
        }
        for share in ExtremeValues.doubles {
            for jitter in [Jitter.none, .full, .proportional(share), .additive(share)] {
                for bits in [UInt64.min, .max] {
                    #expect(jitter.spread(max(duration, .zero), random: Chance(bits: bits)) >= .zero)
                }
            }
        }
    }

    @Test func aShareThatIsNoNumberChangesNothing() {
        for jitter in [Jitter.proportional(.nan), .additive(.nan)] {
            #expect(jitter.spread(.seconds(3), random: Chance(bits: 7)) == .seconds(3))
        }
    }

    @Test(arguments: ExtremeValues.durations)
    func theNextAttemptComesWhenItsTimeHasCome(duration: Duration) async throws {
        let clock = ManualClock()
        var configuration = AsyncRequestEngine.Configuration()
        configuration.clock = clock
        configuration.deadline = nil
        configuration.retry.policy = .fixed(attempts: 2, delay: duration)
        let engine = AsyncRequestEngine(
            transport: ScriptedTransport(.status(503), .status(200)), configuration: configuration)
        let request = try HTTPRequest(.get, Self.url)
        let call = Task { try await engine.send(request, context: RequestContext(clock: clock)) }
        guard duration >= .zero else {
            let error = await #expect(throws: NetworkError.self) { try await call.value }
            #expect(error?.code == .misconfigured)
            return
        }
        if duration > .zero {
            await clock.waitForSleepers(1)
            #expect(clock.requestedDelays == [duration.bounded])
            clock.advance(by: duration)
        }
        #expect(try await call.value.status == 200)
    }

    /// The day that a server asks for is waited for where the deadline leaves time for it, however much that is.
    @Test(arguments: ExtremeValues.durations, [false, true])
    func anyDeadlineIsKept(duration: Duration, isOfTheCall: Bool) async throws {
        let clock = ManualClock()
        let transport = ScriptedTransport(
            .status(503, fields: [.retryAfter: "99999999999999999999"]), .status(200))
        var configuration = AsyncRequestEngine.Configuration()
        configuration.clock = clock
        configuration.deadline = isOfTheCall ? nil : duration
        let engine = AsyncRequestEngine(transport: transport, configuration: configuration)
        let options = CallOptions(deadline: isOfTheCall ? duration : nil, responseLimit: .max)
        let request = try HTTPRequest(.get, Self.url)
        let call = Task {
            try await engine.send(request, context: RequestContext(options: options, clock: clock))
        }
        guard isOfTheCall || duration > .zero else {
            let error = await #expect(throws: NetworkError.self) { try await call.value }
            #expect(error?.code == .misconfigured && error?.message.contains("'deadline'") == true)
            return
        }
        let hasTime = duration > RetryAfter.longest
        if hasTime {
            await clock.waitForSleepers(1)
            clock.advance(by: RetryAfter.longest)
        }
        #expect(try await call.value.status == (hasTime ? 200 : 503))
    }

    @Test func attemptsAreCountedUpToTheLargestNumber() async throws {
        let request = try HTTPRequest(.get, Self.url)
        var configuration = AsyncRequestEngine.Configuration()
        configuration.retry.policy = .immediate(attempts: .max)
        for last in [ScriptedTransport.Reply.status(200), .failure(NetworkError(.invalidRequest, "no"))] {
            let transport = ScriptedTransport(
                .status(503), .status(302, fields: [.location: "/y"]),
                .failure(NetworkError(.connectionLost, "lost", attempts: 1)), last)
            let engine = AsyncRequestEngine(
                transport: BoastfulTransport(below: transport), configuration: configuration)
            do throws(NetworkError) {
                let response = try await engine.send(request, context: RequestContext())
                #expect(response.exchange.attempts == .max)
            } catch {
                #expect(error.attempts == .max)
            }
        }
    }

    @Test(arguments: ExtremeValues.integers)
    func anyNumberOfAttemptsAndHops(count: Int) async throws {
        let transport = ScriptedTransport(
            .status(503), .status(302, fields: [.location: "/y"]), .status(200))
        var configuration = AsyncRequestEngine.Configuration()
        configuration.retry.policy = .immediate(attempts: max(1, count))
        configuration.redirects = RedirectPolicy(maximumHops: max(0, count))
        let engine = AsyncRequestEngine(transport: transport, configuration: configuration)
        let request = try HTTPRequest(.get, Self.url)
        let options = CallOptions(retry: .immediate(attempts: count))
        guard count >= 1 else {
            let error = await #expect(throws: NetworkError.self) {
                try await engine.send(request, options: options)
            }
            #expect(
                error?.code == .misconfigured && error?.message.contains("'retry.maximumAttempts'") == true)
            return
        }
        let response = try await engine.send(request, options: options)
        #expect(response.status == (count == 1 ? 503 : 200))
    }

    // MARK: Policies

    private typealias Change = @Sendable (inout AsyncRequestEngine.Configuration) throws(NetworkError) -> Void

    /// Policies of each kind, with the same duration, number and count in all of their properties.
    private static func policies(
        _ duration: Duration, _ number: Double, _ count: Int, _ clock: ManualClock
    ) -> [String: Change] {
        [
            "circuit breaker": { configuration throws(NetworkError) in
                let rate = CircuitBreakerPolicy.Rate(share: number, minimumCalls: count, window: duration)
                let policy = CircuitBreakerPolicy(
                    consecutiveFailures: count, failureRate: rate, slowAfter: duration, slowRate: rate,
                    openFor: duration, longestOpen: duration, probes: count, successesToClose: count,
                    probeLimit: duration)
                configuration.protection.circuitBreakers = try CircuitBreakerRegistry(
                    hosts: policy, clock: clock)
            },
            "slow calls": { configuration throws(NetworkError) in
                let rate = CircuitBreakerPolicy.Rate(share: 0.5, minimumCalls: 1, window: duration)
                let policy = CircuitBreakerPolicy(
                    failureRate: rate, slowAfter: duration, slowRate: rate, openFor: duration,
                    longestOpen: duration, probeLimit: duration)
                configuration.protection.circuitBreakers = try CircuitBreakerRegistry(
                    hosts: policy, clock: clock)
            },
            "bulkhead": { configuration throws(NetworkError) in
                configuration.protection.bulkhead = BulkheadPolicy(
                    perOrigin: .fixed(count), inAll: count, waitingPerOrigin: count, waitingInAll: count,
                    ageing: duration, longestWait: duration)
            },
            "adaptive bulkhead": { configuration throws(NetworkError) in
                configuration.protection.bulkhead = BulkheadPolicy(
                    perOrigin: .adaptive(min(1, count)...max(1, count)), inAll: 4, ageing: duration)
            },
            "rate gate": { configuration throws(NetworkError) in
                let policy = RateGatePolicy(
                    pause: duration, longestWait: duration, firstPace: number, slowestPace: number,
                    maximumWaiting: count)
                configuration.protection.rateGate = try RateGate(policy, clock: clock)
            },
            "hedging": { configuration throws(NetworkError) in
                configuration.protection.hedging = HedgingPolicy(
                    percentile: number, minimumDelay: duration, fixedDelay: duration, maximumShare: number)
            },
            "retry budget": { configuration throws(NetworkError) in
                configuration.retry.budget = RetryBudget(share: number, perSecond: number, reserve: count)
            },
            "alert": { configuration throws(NetworkError) in
                configuration.timeoutAlert = TimeoutAlert(
                    rate: number, minimumCalls: count, window: duration)
            },
            "cache": { configuration throws(NetworkError) in
                var policy = CachePolicy()
                policy.largestEntryBytes = count
                policy.mostVariants = count
                policy.heuristicFraction = number
                policy.longestHeuristic = duration
                policy.negative = duration
                policy.staleIfError = duration
                policy.stalenessBudget = duration
                policy.backgroundLimit = duration
                configuration.cache = HTTPCache(store: MemoryCacheStore(byteLimit: count), policy: policy)
            },
        ]
    }

    /// A policy that is refused names the property; with any other a call ends as it does without the policy, or is
    /// refused by it.
    @Test(arguments: ExtremeValues.durations)
    func aPolicyWorksOrIsRefused(duration: Duration) async throws {
        let fields: HTTPFields = ["Last-Modified": "Mon, 01 Jan 0001 00:00:00 GMT", "Age": "99999999999999"]
        let request = try HTTPRequest(.get, Self.url)
        var accepted: Set<String> = []
        let values = ExtremeValues.doubles.map { ($0, 7) } + ExtremeValues.integers.map { (0.5, $0) }
        for (number, count) in values {
            let clock = ManualClock()
            for (kind, change) in Self.policies(duration, number, count, clock) {
                var configuration = AsyncRequestEngine.Configuration()
                configuration.clock = clock
                configuration.retry.policy = .immediate(attempts: 2)
                do throws(NetworkError) {
                    try change(&configuration)
                    try configuration.validate()
                } catch {
                    #expect(error.code == .misconfigured, "\(kind): \(error)")
                    continue
                }
                accepted.insert(kind)
                let engine = AsyncRequestEngine(
                    transport: ScriptedTransport(.status(503), .status(200, fields: fields)),
                    configuration: configuration)
                for _ in 0..<2 {
                    do throws(NetworkError) {
                        _ = try await engine.send(request)
                    } catch {
                        #expect(error.code.isLocalRejection, "\(kind): \(error)")
                    }
                    clock.advance(by: max(.zero, duration))
                }
            }
            #expect(clock.requestedDelays.count <= 40, "something sleeps again and again")
        }
        // All but the rate gate take times as long as there are.
        if duration > .seconds(86_400) { #expect(accepted.count == 8, "\(accepted)") }
    }

    /// A call that may wait for so long has one sleep at most, and does not end by time.
    @Test(arguments: ExtremeValues.durations.filter { $0 > .seconds(1) })
    func whatIsFarAwayIsWaitedForOnce(duration: Duration) async throws {
        let (clock, gate) = (ManualClock(), Gate())
        let transport = ScriptedTransport { _, _ in
            await gate.pass()
            return .status(200)
        }
        var configuration = AsyncRequestEngine.Configuration()
        configuration.clock = clock
        configuration.deadline = duration
        configuration.coalescing = nil
        configuration.protection.bulkhead = BulkheadPolicy(
            perOrigin: .fixed(1), inAll: 1, ageing: duration, longestWait: duration)
        configuration.protection.hedging = HedgingPolicy(fixedDelay: duration, maximumShare: 1)
        let engine = AsyncRequestEngine(transport: transport, configuration: configuration)
        let request = try HTTPRequest(.get, Self.url)
        let calls = (0..<2).map { _ in Task { try await engine.send(request).status } }
        await gate.waitForArrivals(1)
        #expect(await isEventually { engine.bulkhead?.statistics.all.waitingCount == 1 })
        // One of the bulkhead, and one of the hedge.
        await clock.waitForSleepers(2)
        for _ in 0..<100 { clock.advance(by: .seconds(86_400 * 365)) }
        #expect(engine.bulkhead?.statistics.all.waitingCount == 1)
        #expect(clock.requestedDelays.count == 2 && gate.arrivals == 1)
        gate.open()
        for call in calls { #expect(try await call.value == 200) }
    }

    @Test(arguments: ExtremeValues.integers)
    func aBatchHasAnyConcurrency(concurrency: Int) async {
        for duration in ExtremeValues.durations {
            let clock = ManualClock()
            let batch = Batch(
                concurrency: concurrency, deadline: .after(duration, clock: clock), clock: clock)
            let results = await batch.results(for: 0..<3) { $0 }
            #expect(results.map { (try? $0.get()) != nil } == Array(repeating: duration > .zero, count: 3))
        }
    }

    @Test(arguments: ExtremeValues.integers)
    func aStoreOfHostsHasAnyCapacity(capacity: Int) throws {
        let store = HSTSPolicyStore(capacity: capacity)
        for age in ["0", "1", "9223372036854775807", "99999999999999999999999999"] {
            let origin = try Origin("https://a\(age.count).example")
            store.record(["Strict-Transport-Security": "max-age=\(age)"], from: origin)
            let plain = try Origin("http://a\(age.count).example")
            #expect((store.upgraded(plain).scheme == .https) == (age != "0"))
        }
        #expect(store.count <= max(1, capacity))
    }
}
