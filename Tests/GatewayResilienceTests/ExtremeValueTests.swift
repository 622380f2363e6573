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
        configuration.retry = .fixed(attempts: 2, delay: duration)
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
        let options = CallOptions(deadline: isOfTheCall ? duration : nil, responseLimit: .min)
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
        configuration.retry = .immediate(attempts: .max)
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
        configuration.retry = .immediate(attempts: max(1, count))
        configuration.redirects = RedirectPolicy(maximumHops: count)
        let engine = AsyncRequestEngine(transport: transport, configuration: configuration)
        let request = try HTTPRequest(.get, Self.url)
        // A policy of a call is not checked: fewer attempts than one are one.
        let options = CallOptions(retry: .immediate(attempts: count))
        let response = try await engine.send(request, options: options)
        #expect(response.status == (count <= 1 ? 503 : 200))
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
