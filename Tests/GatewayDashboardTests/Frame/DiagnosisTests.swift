import GatewayCore
import GatewayTelemetry
import GatewayTesting
import Testing

@testable import GatewayDashboard
@testable import GatewayResilience

@Suite struct DiagnosisTests {
    private let fixture: DashboardFixture

    init() throws { fixture = try DashboardFixture() }

    private func diagnosis(_ change: (inout EngineHealth) -> Void = { _ in }) async -> Diagnosis {
        var health = EngineHealth()
        change(&health)
        let read = await fixture.collector.snapshot(1)
        return Diagnosis(
            Snapshot(
                number: 1, now: read.now, shared: read.shared, metrics: read.metrics, healths: [health],
                open: [],
                untracked: 0))
    }

    @Test func aHealthyClientSaysHowMuchItDoes() async {
        #expect(await diagnosis().sentence.severity == .idle)
        for id in 1...200 as ClosedRange<UInt64> { fixture.call(id, lasting: 20) }
        let sentence = await diagnosis().sentence
        #expect(
            sentence.severity == .ok && sentence.text.contains("0 % failed")
                && sentence.text.contains("20 ms"))
        fixture.clock.advance(by: .seconds(80))
        #expect(await diagnosis().sentence.text == "No call has been made for a minute.")
    }

    @Test func failuresNameTheirReasonAndSide() async throws {
        for id in 1...100 as ClosedRange<UInt64> {
            fixture.call(id, DashboardFixture.get, lasting: 10, status: id % 2 == 0 ? 503 : 200)
        }
        let problem = try #require(await diagnosis().problems.first)
        #expect(problem.severity == .critical && problem.side == .upstream)
        #expect(problem.subject == Subject(.operation, "getBook"))
        #expect(
            problem.text
                == "50 % of 100 calls failed in the last 10 s, most of them getBook: status 503 from https://api.example.com."
        )
    }

    /// Callers that give up are a problem when they are half of all; a few are told beside the figures.
    @Test func callersThatGiveUpAreTold() async throws {
        for id in 1...180 as ClosedRange<UInt64> {
            fixture.record(.started, id, DashboardFixture.get)
            fixture.record(.cancelled(attempts: 1, duration: .seconds(1)), id, DashboardFixture.get)
        }
        let problem = try #require(await diagnosis().problems.first)
        #expect(problem.severity == .warning && problem.side == .caller)
        #expect(problem.subject == Subject(.operation, "getBook"))
        #expect(
            problem.text
                == "100 % of 180 calls were cancelled by their callers in the last 10 s, most of them getBook."
        )
        fixture.clock.advance(by: .seconds(20))
        for id in 201...220 as ClosedRange<UInt64> { fixture.call(id, lasting: 20) }
        for id in 1...4 as ClosedRange<UInt64> {
            fixture.record(.started, id)
            fixture.record(.cancelled(attempts: 1, duration: .milliseconds(1)), id)
        }
        let sentence = await diagnosis().sentence
        #expect(sentence.severity == .ok && sentence.text.contains("0 % failed, 4 cancelled, 95 %"))
    }

    @Test func theMostSeriousProblemComesFirst() async throws {
        let origin = fixture.origin
        for id in 1...20 as ClosedRange<UInt64> { fixture.call(id, status: id == 1 ? 500 : 200) }
        let diagnosis = await diagnosis { health in
            health.circuitBreakers = [.host(origin): .open]
            health.retryBudgets = [origin: .init(retries: 0, isExhausted: true)]
            var token = TokenHealth(label: "login client")
            token.credentials = 1
            token.usable = 1
            token.failure = .init(code: .tokenUnavailable, isPermanent: false, retryAfter: .seconds(2))
            health.tokens = [token]
        }
        #expect(diagnosis.problems.map(\.severity) == [.critical, .warning, .warning, .info])
        #expect(diagnosis.sentence.subject == Subject(.breaker, "https://api.example.com"))
        #expect(diagnosis.problems.contains { $0.subject?.kind == .budget })
        #expect(diagnosis.problems.contains { $0.subject == Subject(.token, "login client") })
    }

    /// An open circuit is one problem, not a second one by the calls that it rejects.
    @Test func anOpenCircuitIsToldOnce() async throws {
        for id in 1...20 as ClosedRange<UInt64> {
            fixture.record(.started, id)
            fixture.record(.failed(FailureCause(.circuitOpen), attempts: 0, duration: .zero), id)
        }
        let origin = fixture.origin
        let open = await diagnosis { $0.circuitBreakers = [.host(origin): .open] }
        #expect(open.problems.map(\.subject?.kind) == [.breaker])
        fixture.call(21, status: 503)
        let both = await diagnosis { $0.circuitBreakers = [.host(origin): .open] }
        #expect(
            both.sentence.text.contains("after 1 call failed with status 503") && both.problems.count == 2)
    }

    /// Only failures that a circuit breaker counts are named as its cause.
    @Test func theCauseOfAnOpenCircuitIsWhatItCounts() async throws {
        let origin = fixture.origin
        func text(_ key: CircuitBreakerRegistry.Key) async throws -> String {
            let problems = await diagnosis { health in
                health.circuitBreakers = [
                    .operation(origin, "listBooks"): .closed, .operation(origin, "getBook"): .closed,
                    .host(origin): .closed,
                ]
                health.circuitBreakers[key] = .open
            }.problems
            return try #require(problems.first { $0.subject?.kind == .breaker }).text
        }
        for id in 1...55 as ClosedRange<UInt64> { fixture.call(id, DashboardFixture.get, status: 404) }
        #expect(
            try await text(.operation(origin, "getBook"))
                == "The circuit of https://api.example.com getBook is open: calls are rejected.")
        for id in 1...6 as ClosedRange<UInt64> { fixture.call(id, DashboardFixture.get, status: 503) }
        for id in 1...9 as ClosedRange<UInt64> { fixture.call(id, status: 502) }
        for id in 1...2 as ClosedRange<UInt64> {
            fixture.record(.started, id)
            let refused = FailureCause(.connectionRefused, phase: .connect)
            fixture.record(.failed(refused, attempts: 1, duration: .zero), id)
        }
        #expect(
            try await text(.operation(origin, "getBook")).hasSuffix("after 6 calls failed with status 503."))
        #expect(
            try await text(.operation(origin, "listBooks")).hasSuffix("after 9 calls failed with status 502.")
        )
        #expect(
            try await text(.host(origin)).hasSuffix(
                "after 2 calls failed with \(NetworkError.Code.connectionRefused.name)."))
        let other = try Origin("https://other.example.com")
        #expect(try await text(.host(other)).hasSuffix("calls are rejected."))
        #expect(try await text(.named("search")).hasSuffix("calls are rejected."))
    }

    /// A rate limit that delays nobody is no problem.
    @Test(
        arguments: [
            (0, 0, nil), (0, 1, "1 call waits."), (0, 4, "4 calls wait."),
            (2, 0, "calls wait, for 2 s more."), (2, 4, "4 calls wait, for 2 s more."),
        ] as [(Int, Int, String?)])
    func aRateLimitIsAProblemIfItDelaysCalls(seconds: Int, waiting: Int, text: String?) async {
        let origin = fixture.origin
        let problems = await diagnosis { health in
            health.rateLimits = [
                RateGate.Limit(
                    origin: origin, name: "", closedFor: .seconds(seconds), waiting: waiting,
                    callsPerSecond: 10)
            ]
        }.problems
        #expect(problems.map(\.text) == text.map { ["https://api.example.com limits the rate: \($0)"] } ?? [])
    }

    @Test func aTokenThatNobodyHasIsCritical() async throws {
        let sentence = await diagnosis { health in
            var token = TokenHealth(label: "login client")
            (token.credentials, token.unavailable, token.waiting) = (1, 1, 3)
            token.failure = .init(code: .reauthenticationRequired, isPermanent: true)
            health.tokens = [token]
        }.sentence
        #expect(sentence.severity == .critical && sentence.side == .token)
        #expect(sentence.text.contains("a sign-in or another configuration is required; 3 callers wait"))
    }

    @Test func aRejectedTokenIsTold() async throws {
        fixture.record(.rejected, generation: 6)
        fixture.record(.refreshStarted(.rejected), generation: 6, waiting: 3)
        fixture.record(.refreshed(lifetime: .seconds(60), renewal: .seconds(50)), generation: 7, waiting: 34)
        fixture.clock.advance(by: .seconds(5))
        let problem = try #require(await diagnosis().problems.first)
        #expect(
            problem.severity == .info && problem.text.contains("5 s ago; it was renewed, and 34 calls waited")
        )
        fixture.clock.advance(by: .seconds(60))
        #expect(await diagnosis().problems.isEmpty)
    }

    /// However many credentials have lost a token, it is one problem.
    @Test func rejectedTokensAreOneProblem() async throws {
        for lane in 1...6 {
            fixture.clock.advance(by: .seconds(1))
            fixture.record(.rejected, generation: 1, label: "login \(lane)")
        }
        let all = await diagnosis().problems
        #expect(
            all.map(\.text) == [
                "Servers rejected 6 tokens of 6 credentials before they expired, the latest one 0 ms ago, of login 6."
            ])
        #expect(all.first?.subject == Subject(.token, "login 6"))
        func renew(_ lane: Int) {
            fixture.record(
                .refreshed(lifetime: .seconds(60), renewal: .seconds(50)), generation: 2,
                label: "login \(lane)", waiting: lane)
        }
        renew(1)
        #expect(await diagnosis().sentence.text.hasSuffix("; 1 of 6 credentials have a new one."))
        for lane in 2...6 { renew(lane) }
        #expect(await diagnosis().sentence.text.hasSuffix("; they were renewed, and 21 calls waited."))
        fixture.clock.advance(by: .milliseconds(59_500))
        fixture.record(.rejected, generation: 2, label: "login 6")
        #expect(
            await diagnosis().sentence.text
                == "A server rejected 2 tokens of login 6 before they expired, the latest one 0 ms ago.")
    }

    @Test func anOperationThatBecameSlowIsTold() async throws {
        for id in 1...300 as ClosedRange<UInt64> { fixture.call(id, lasting: 50) }
        for id in 1...30 as ClosedRange<UInt64> {
            fixture.record(.started, id)
            fixture.record(.succeeded(status: 200, attempts: 1, duration: .seconds(3)), id)
        }
        let problem = try #require(await diagnosis().problems.first)
        #expect(problem.subject == Subject(.operation, "listBooks") && problem.text.contains("is slow"))
    }

    @Test(arguments: [
        (FailureCause(.timeout, phase: .connect), Side.network),
        (FailureCause(.timeout, phase: .firstByte), .upstream),
        (FailureCause(.timeout, phase: .queue), .here), (FailureCause(.dnsFailure), .network),
        (FailureCause(.tokenUnavailable), .token), (FailureCause(.circuitOpen), .upstream),
        (FailureCause(.misconfigured), .here), (FailureCause(.connectionLost), .upstream),
        (FailureCause(.unacceptableStatus, status: 404), .here),
        (FailureCause(.unacceptableStatus, status: 502), .upstream),
    ])
    func everyFailureHasASide(cause: FailureCause, side: Side) { #expect(Side(cause) == side) }

    @Test(arguments: [
        (0, "0"), (999, "999"), (1_204, "1,204"), (1_000_000, "1,000,000"), (-1_204, "-1,204"),
    ])
    func numbersHaveSeparators(value: Int, text: String) { #expect(Figures.count(value) == text) }

    @Test(arguments: [
        (Duration.milliseconds(88), "88 ms"), (.microseconds(420), "0.4 ms"), (.milliseconds(3_240), "3.2 s"),
        (.seconds(600), "10 min"), (.seconds(9_000), "2.5 h"), (.zero, "0 ms"),
    ])
    func durationsHaveUnits(value: Duration, text: String) { #expect(Figures.duration(value) == text) }
}
