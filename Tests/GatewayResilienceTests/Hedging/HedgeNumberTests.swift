import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// Attempts are numbered over hedges.
extension HedgingEngineTests {
    /// A hedge has a number of its own, and so has what follows.
    @Test func attemptsAreNumbered() async throws {
        let engine = engine {
            $0.retry.policy = ExponentialRetryPolicy(maximumAttempts: 2, backoff: .immediate, jitter: .none)
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

    /// A hedge that is not sent has no event and no number: the next attempt gets it.
    @Test func aHedgeThatIsNotSentHasNoNumber() async throws {
        let engine = engine {
            $0.protection.bulkhead = BulkheadPolicy(perOrigin: .fixed(1), inAll: 1)
            $0.retry.policy = ExponentialRetryPolicy(maximumAttempts: 2, backoff: .immediate, jitter: .none)
        }
        let call = try call(engine)
        #expect(await transport.begun(1))
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(50))
        await eventually { engine.hedgingStatistics?.drops == 1 }
        #expect(engine.hedgingStatistics?.hedges == 0)
        transport.end(0, status: 503)
        #expect(await transport.begun(2))
        #expect(transport.attempts == [.first, AttemptInfo(number: 2, reason: .retry)])
        transport.end(1, status: 200)
        #expect(try await call.value.exchange.attempts == 2)
        let started = events.events.compactMap { event -> Int? in
            if case .attemptStarted = event.kind { event.attempt.number } else { nil }
        }
        #expect(started == [1, 2] && kinds.isEmpty)
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
}
