import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayResilience

/// Hedges in an engine: after 50 ms, without a limit but where a test sets one.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct HedgingEngineTests {
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
        configuration.protection.hedging = policy
        configuration.retry.policy = .never
        configuration.coalescing = nil
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

    var kinds: [String] {
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
}
