import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// Hedges in an engine: after 50 ms, without a limit but where a test sets one.
@Suite(.timeLimit(.minutes(1))) struct HedgingEngineTests {
    let clock = ManualClock()
    let origin: Origin
    let transport: HeldTransport
    let events = EventRecorder()

    init() throws {
        origin = try Origin("http://h")
        transport = HeldTransport(origin: origin)
    }

    func engine(
        _ policy: HedgingPolicy? = HedgingPolicy(fixedDelay: .milliseconds(50), maximumShare: 1),
        _ change: (inout AsyncRequestEngine.Configuration) -> Void = { _ in }
    ) -> AsyncRequestEngine {
        var configuration = AsyncRequestEngine.Configuration()
        configuration.hedging = policy
        configuration.retry = .never
        configuration.coalesces = false
        configuration.clock = clock
        configuration.events = events
        change(&configuration)
        return AsyncRequestEngine(transport: transport, configuration: configuration)
    }

    func call(
        _ engine: AsyncRequestEngine, _ method: HTTPMethod = .get, options: CallOptions = CallOptions(),
        body: HTTPBody = .empty, isStream: Bool = false
    ) throws -> Task<HTTPResponse, any Error> {
        var request = try HTTPRequest(method, "http://h/x")
        request.body = body
        return Task { [request] in
            if isStream { return try await engine.stream(request, options: options) }
            return try await engine.send(request, options: options)
        }
    }

    /// Begins a call and lets its delay pass.
    func hedged(
        _ engine: AsyncRequestEngine, options: CallOptions = CallOptions(), isStream: Bool = false
    ) async throws -> Task<HTTPResponse, any Error> {
        let earlier = transport.exchanges.count
        let call = try call(engine, options: options, isStream: isStream)
        #expect(await transport.begun(earlier + 1))
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(50))
        #expect(await transport.begun(earlier + 2))
        return call
    }

    private var kinds: [String] {
        events.events.compactMap { event in
            switch event.kind {
            case .hedged(let delay): "hedged after \(delay)"
            case .hedgeDecided(let winner): "decided \(winner)"
            default: nil
            }
        }
    }

    // MARK: hedge.one-answer

    @Test func theHedgeWinsAndTheFirstAttemptRunsToItsEnd() async throws {
        let engine = engine()
        let call = try await hedged(engine)
        transport.end(1, status: 200, fields: ["X-From": "hedge"])
        let response = try await call.value
        #expect(response.fields["X-From"] == "hedge")
        #expect(response.exchange.attempts == 2)
        #expect(transport.attempts == [.first, AttemptInfo(number: 2, reason: .hedge)])
        #expect(!transport.exchanges[0].isCancelled && transport.exchanges[0].outcome == nil)
        #expect(transport.exchanges[0].context.isAbandoned && !transport.exchanges[1].context.isAbandoned)
        transport.end(0, status: 200)
        #expect(kinds == ["hedged after 0.05 seconds", "decided hedge"])
        let statistics = try #require(engine.hedgingStatistics)
        #expect(statistics.requests == 1 && statistics.hedges == 1 && statistics.wins == 1)
    }

    @Test func theFirstAttemptWinsAndTheHedgeRunsToItsEnd() async throws {
        let engine = engine()
        let call = try await hedged(engine)
        transport.end(0, status: 200, fields: ["X-From": "first"])
        let response = try await call.value
        #expect(response.fields["X-From"] == "first" && response.exchange.attempts == 2)
        #expect(!transport.exchanges[1].isCancelled && transport.exchanges[1].outcome == nil)
        #expect(transport.exchanges[1].context.isAbandoned && !transport.exchanges[0].context.isAbandoned)
        #expect(kinds.last == "decided first" && engine.hedgingStatistics?.wins == 0)
        transport.end(1, status: 200)
    }

    @Test func aResponseBeforeTheDelayNeedsNoHedge() async throws {
        let engine = engine()
        let call = try call(engine)
        await clock.waitForSleepers(1)
        #expect(await transport.begun(1))
        transport.end(0, status: 200)
        #expect(try await call.value.exchange.attempts == 1)
        clock.advance(by: .seconds(1))
        // The next call has slept, too: nothing of the first one is left to be sent.
        let next = try await hedged(engine)
        #expect(transport.exchanges.count == 3)
        transport.end(1, status: 200)
        #expect(try await next.value.status == 200)
        #expect(kinds.count == 2)
        transport.end(2, status: 200)
    }

    /// The other attempt may still succeed.
    @Test(arguments: [0, 1], [nil, 503, 429] as [Int?])
    func aFastFailureWaitsForTheOther(failing: Int, status: Int?) async throws {
        let engine = engine()
        let call = try await hedged(engine)
        if let status {
            transport.end(failing, status: status)
        } else {
            transport.end(failing, .failure(NetworkError(.connectionLost, "", attempts: 1)))
        }
        transport.end(1 - failing, status: 200)
        let response = try await call.value
        #expect(response.status == 200 && response.exchange.attempts == 2)
        #expect(kinds.last == (failing == 0 ? "decided hedge" : "decided first"))
    }

    @Test func twoFailuresAreOne() async throws {
        let engine = engine()
        let call = try await hedged(engine)
        transport.end(0, .failure(NetworkError(.connectionRefused, "first", attempts: 1)))
        transport.end(
            1, .failure(NetworkError(.connectionLost, "hedge", attempts: 1, mayHaveBeenSent: true)))
        let error = await #expect(throws: NetworkError.self) { try await call.value }
        #expect(error?.code == .connectionRefused && error?.attempts == 2 && error?.mayHaveBeenSent == true)
        #expect(kinds.last == "decided none")
    }

    /// What the server says is more than an error.
    @Test(arguments: [0, 1]) func aFailedResponseIsBetterThanAnError(failing: Int) async throws {
        let engine = engine()
        let call = try await hedged(engine)
        transport.end(failing, .failure(NetworkError(.connectionLost, "", attempts: 1)))
        transport.end(1 - failing, status: 503)
        let response = try await call.value
        #expect(response.status == 503 && response.exchange.attempts == 2)
    }

    /// A stream is decided by its head; the other one is given up.
    @Test func aStreamThatLosesIsGivenUp() async throws {
        let engine = engine()
        let (winner, loser) = (HeldStream(), HeldStream())
        let call = try await hedged(engine, isStream: true)
        transport.end(1, status: 200, .stream(winner.chunks()))
        let response = try await call.value
        #expect(winner.holders == 1)
        transport.end(0, status: 200, .stream(loser.chunks()))
        await eventually { loser.holders == 0 }
        #expect(winner.holders == 1)
        response.body.discard()
    }

    @Test func aStreamedFailureIsGivenUpWhenTheOtherWins() async throws {
        let engine = engine()
        let failure = HeldStream()
        let call = try await hedged(engine, isStream: true)
        transport.end(0, status: 503, .stream(failure.chunks()))
        transport.end(1, status: 200)
        #expect(try await call.value.status == 200)
        await eventually { failure.holders == 0 }
    }

    // MARK: hedge.loser-ends

    @Test func cancellationEndsBothAttempts() async throws {
        let engine = engine()
        let call = try await hedged(engine)
        call.cancel()
        let error = await #expect(throws: NetworkError.self) { try await call.value }
        #expect(error?.code == .cancelled && error?.attempts == 2)
        #expect(transport.exchanges.allSatisfy { $0.isCancelled })
        #expect(transport.exchanges.allSatisfy { !$0.context.isAbandoned })
    }

    @Test func aCancelledCallIsNotHedged() async throws {
        let engine = engine()
        let call = try call(engine)
        await clock.waitForSleepers(1)
        #expect(await transport.begun(1))
        call.cancel()
        await #expect(throws: NetworkError.self) { try await call.value }
        clock.advance(by: .seconds(1))
        let next = try await hedged(engine)
        transport.end(2, status: 200)
        _ = try await next.value
        #expect(transport.exchanges.count == 3 && kinds.count == 2)
        transport.end(1, status: 200)
    }

    @Test func cancellationAfterTheResponseDoesNotEndTheOther() async throws {
        let engine = engine()
        let call = try await hedged(engine)
        transport.end(1, status: 200)
        _ = try await call.value
        call.cancel()
        #expect(!transport.exchanges[0].isCancelled)
        transport.end(0, status: 200)
    }

    // MARK: hedge.reads-only

    @Test(arguments: ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
    func otherMethodsAreNotHedged(method: String) async throws {
        let engine = engine()
        let call = try call(engine, HTTPMethod(method))
        #expect(await transport.begun(1))
        #expect(clock.sleeperCount == 0)
        transport.end(0, status: 200)
        #expect(try await call.value.exchange.attempts == 1)
        #expect(engine.hedgingStatistics?.requests == 0)
    }

    @Test func aBodyThatIsSentOnceIsNotHedged() async throws {
        let engine = engine()
        let call = try call(engine, body: .once(HeldStream().chunks()))
        #expect(await transport.begun(1))
        #expect(clock.sleeperCount == 0)
        transport.end(0, status: 200)
        #expect(try await call.value.status == 200)
        #expect(engine.hedgingStatistics?.requests == 0)
    }

    @Test func aCallOrAnOperationMayBeExempt() async throws {
        let engine = engine { $0.operations["list"] = CallOptions(isHedged: false) }
        let calls = [
            try call(engine, options: CallOptions(isHedged: false)),
            Task { [request = try HTTPRequest(.get, "http://h/x")] in
                try await engine.send(request, operation: "list")
            },
        ]
        #expect(await transport.begun(2))
        #expect(clock.sleeperCount == 0 && engine.hedgingStatistics?.requests == 0)
        for index in calls.indices { transport.end(index, status: 200) }
        for call in calls { _ = try await call.value }
    }

    // MARK: Numbers

    /// A hedge has a number of its own, and so has what follows.
    @Test func attemptsAreNumbered() async throws {
        let engine = engine {
            $0.retry = ExponentialRetryPolicy(maximumAttempts: 2, backoff: .immediate, jitter: .none)
        }
        let call = try await hedged(engine)
        transport.end(0, status: 503)
        transport.end(1, status: 503)
        #expect(await transport.begun(3))
        // A retry is not hedged.
        #expect(transport.attempts[2] == AttemptInfo(number: 3, reason: .retry))
        #expect(clock.sleeperCount == 0)
        transport.end(2, status: 200)
        #expect(try await call.value.exchange.attempts == 3)
    }

    /// What follows a rejection is numbered after the hedge.
    @Test(arguments: [0, 1]) func aResponseTellsTheNumberOfTheLastAttempt(winner: Int) async throws {
        let call = try await hedged(engine())
        transport.end(winner, status: 401)
        #expect(try await call.value.exchange.attemptNumber == 2)
        transport.end(1 - winner, status: 200)
    }

    @Test(arguments: [0, 1]) func aRedirectIsNumberedAfterTheHedge(winner: Int) async throws {
        let engine = engine()
        let call = try await hedged(engine)
        transport.end(winner, status: 302, fields: ["Location": "/y"])
        #expect(await transport.begun(3))
        #expect(transport.attempts[2] == AttemptInfo(number: 3, reason: .redirect))
        transport.end(2, status: 200)
        #expect(try await call.value.exchange.attempts == 3)
        transport.end(1 - winner, status: 200)
    }

    // MARK: hedge.budget-stops-only-new

    @Test func anExhaustedBudgetStopsOnlyNewHedges() async throws {
        // Two requests pay for one hedge.
        let engine = engine(HedgingPolicy(fixedDelay: .milliseconds(50), maximumShare: 0.5))
        let calls = [try call(engine), try call(engine), try call(engine)]
        #expect(await transport.begun(3))
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(50))
        #expect(await transport.begun(4))
        await eventually { engine.hedgingStatistics?.refusals == 2 }
        #expect(transport.attempts.filter { $0.reason == .hedge }.count == 1)
        #expect(transport.exchanges.allSatisfy { !$0.isCancelled })
        for index in 0..<4 { transport.end(index, status: 200) }
        for call in calls { #expect(try await call.value.status == 200) }
        // Once per episode.
        #expect(events.stateEvents.map(\.kind) == [.hedgeBudgetExhausted])
        #expect(events.stateEvents.first?.origin == origin)
    }

    /// It takes nothing from the retry budget.
    @Test func hedgesTakeNothingFromTheRetryBudget() async throws {
        let engine = engine {
            $0.retryBudget = RetryBudget(share: 0, perSecond: 0, reserve: 1)
            $0.retry = ExponentialRetryPolicy(maximumAttempts: 2, backoff: .immediate, jitter: .none)
        }
        let call = try await hedged(engine)
        transport.end(0, status: 503)
        transport.end(1, status: 503)
        #expect(await transport.begun(3))
        transport.end(2, status: 200)
        #expect(try await call.value.status == 200)
    }

    // MARK: hedge.percentile

    @Test func aHedgeNeedsEnoughLatencies() async throws {
        let engine = engine(HedgingPolicy(minimumDelay: .milliseconds(1), maximumShare: 1))
        for index in 0..<LatencyEstimator.leastSamples {
            let call = try call(engine)
            #expect(await transport.begun(index + 1))
            #expect(clock.sleeperCount == 0, "no task and no timer before")
            clock.advance(by: .milliseconds(20))
            transport.end(index, status: 200)
            _ = try await call.value
        }
        let call = try call(engine)
        #expect(await transport.begun(51))
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(19))
        #expect(clock.sleeperCount == 1)
        clock.advance(by: .milliseconds(4))
        #expect(await transport.begun(52))
        transport.end(51, status: 200)
        #expect(try await call.value.exchange.attempts == 2)
        transport.end(50, status: 200)
    }

    @Test func theMinimumDelayIsTheShortest() async throws {
        let engine = engine(HedgingPolicy(minimumDelay: .milliseconds(100), maximumShare: 1))
        for index in 0..<LatencyEstimator.leastSamples {
            let call = try call(engine)
            #expect(await transport.begun(index + 1))
            transport.end(index, status: 200)
            _ = try await call.value
        }
        let call = try call(engine)
        await clock.waitForSleepers(1)
        #expect(clock.requestedDelays == [.milliseconds(100)])
        #expect(await transport.begun(51))
        transport.end(50, status: 200)
        _ = try await call.value
    }

    // MARK: Configuration

    @Test func withoutAPolicyNothingIsHedged() async throws {
        let engine = engine(nil)
        let call = try call(engine)
        #expect(await transport.begun(1))
        #expect(clock.sleeperCount == 0 && engine.hedgingStatistics == nil)
        transport.end(0, status: 200)
        _ = try await call.value
        #expect(AsyncRequestEngine.Configuration().hedging == nil)
    }

    @Test(arguments: [
        (HedgingPolicy(percentile: 0.4), "percentile"), (HedgingPolicy(percentile: .nan), "percentile"),
        (HedgingPolicy(percentile: 1), "percentile"),
        (HedgingPolicy(minimumDelay: .zero), "minimumDelay"),
        (HedgingPolicy(fixedDelay: .zero), "fixedDelay"),
        (HedgingPolicy(maximumShare: 0), "maximumShare"),
        (HedgingPolicy(maximumShare: 1.1), "maximumShare"),
        (HedgingPolicy(maximumShare: .nan), "maximumShare"),
    ])
    func impossiblePoliciesNameTheProperty(policy: HedgingPolicy, property: String) async throws {
        let error = #expect(throws: NetworkError.self) { try policy.validate() }
        #expect(error?.code == .misconfigured && error?.message.contains(property) == true)
        let call = try call(engine(policy))
        let failure = await #expect(throws: NetworkError.self) { try await call.value }
        #expect(failure?.message.contains("hedging.\(property)") == true)
        try HedgingPolicy.standard.validate()
    }

    @Test func theNumberOfOperationsIsBounded() throws {
        let hedging = Hedging(.standard, clock: clock)
        let response = HTTPResponse(status: 200, exchange: Exchange(origin: origin))
        for index in 0..<3_000 {
            let context = RequestContext(operation: Operation("operation \(index)"))
            let candidate = try #require(hedging.begin(try HTTPRequest(.get, "http://h/x"), context))
            hedging.record(response, to: candidate)
            #expect(hedging.keyCount <= Hedging.capacity)
        }
        #expect(hedging.keyCount > Hedging.capacity / 2)
    }
}
