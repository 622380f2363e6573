import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// A hedge adds no load where a limit is reached: it never waits.
extension HedgingEngineTests {
    /// Admits a number of attempts at once, and lets others wait.
    private struct Places: AdmissionControl {
        struct Permit: AdmissionPermit {
            let places: Places
            func end(_ outcome: AdmissionOutcome) { places.free.withLock { $0 += 1 } }
        }

        final class Count: Sendable {
            let value: Locked<Int>
            init(_ value: Int) { self.value = Locked(value) }
            func withLock(_ change: (inout sending Int) -> Void) { value.withLock { change(&$0) } }
            var now: Int { value.withLock { $0 } }
        }

        let free: Count

        func enterNow(
            _ request: HTTPRequest, context: RequestContext
        ) throws(NetworkError) -> (any AdmissionPermit)? {
            free.value.withLock { free in
                guard free > 0 else { return false }
                free -= 1
                return true
            } ? Permit(places: self) : nil
        }

        func enter(
            _ request: HTTPRequest, context: RequestContext
        ) async throws(NetworkError) -> any AdmissionPermit {
            if let permit = try enterNow(request, context: context) { return permit }
            Issue.record("nothing of this test may wait")
            throw NetworkError(.overloaded, "No place.")
        }
    }

    @Test func aHedgeDoesNotWaitForItsAdmission() async throws {
        let places = Places(free: .init(1))
        let engine = engine { $0.protection.admission = places }
        let call = try call(engine)
        await clock.waitForSleepers(1)
        #expect(await transport.begun(1))
        clock.advance(by: .milliseconds(50))
        await eventually { engine.hedgingStatistics?.drops == 1 }
        #expect(transport.exchanges.count == 1 && engine.hedgingStatistics?.hedges == 0)
        transport.end(0, status: 200)
        let response = try await call.value
        #expect(response.status == 200 && response.exchange.attempts == 1)
        #expect(places.free.now == 1)
    }

    @Test(arguments: [200, nil]) func aLoserHoldsItsPermitUntilItEnds(status: Int?) async throws {
        let places = Places(free: .init(2))
        let engine = engine { $0.protection.admission = places }
        let call = try await hedged(engine)
        transport.end(1, status: 200)
        _ = try await call.value
        #expect(places.free.now == 1)
        endFirst(status)
        await eventually { places.free.now == 2 }
    }

    @Test func thereIsNoHedgeWhileTheCircuitIsNotClosed() async throws {
        let registry = try CircuitBreakerRegistry(
            hosts: CircuitBreakerPolicy(consecutiveFailures: 1, openFor: .milliseconds(20)), clock: clock)
        let engine = engine { $0.protection.circuitBreakers = registry }
        let call = try call(engine)
        await clock.waitForSleepers(1)
        #expect(await transport.begun(1))
        // Another call opens the circuit. When the hedge is due, a probe would be admitted.
        let failing = try self.call(engine, options: CallOptions(isHedged: false))
        #expect(await transport.begun(2))
        transport.end(1, status: 503)
        #expect(try await failing.value.status == 503)
        clock.advance(by: .milliseconds(50))
        await eventually { engine.hedgingStatistics?.drops == 1 }
        #expect(registry.breaker(for: .host(origin)).state == .halfOpen)
        transport.end(0, status: 200)
        #expect(try await call.value.exchange.attempts == 1)
        #expect(transport.exchanges.count == 2)
    }

    @Test func aHedgeWaitsForNoPermit() async throws {
        let engine = engine { $0.protection.bulkhead = BulkheadPolicy(perOrigin: .fixed(1), inAll: 1) }
        let call = try call(engine)
        #expect(await transport.begun(1))
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(50))
        await eventually { engine.hedgingStatistics?.drops == 1 }
        #expect(engine.bulkhead?.statistics.all.waitingCount == 0)
        transport.end(0, status: 200)
        #expect(try await call.value.exchange.attempts == 1)
        #expect(transport.exchanges.count == 1)
    }

    @Test func aHedgeWaitsForNoTurn() async throws {
        let gate = try RateGate(.standard, clock: clock)
        let engine = engine { $0.protection.rateGate = gate }
        let call = try call(engine)
        #expect(await transport.begun(1))
        await clock.waitForSleepers(1)
        // The response to another call closes the gate before the hedge is due.
        let limited = try self.call(engine, options: CallOptions(isHedged: false))
        #expect(await transport.begun(2))
        transport.end(1, status: 429, fields: [.retryAfter: "10"])
        #expect(try await limited.value.status == 429)
        clock.advance(by: .milliseconds(50))
        await eventually { engine.hedgingStatistics?.drops == 1 }
        transport.end(0, status: 200)
        #expect(try await call.value.exchange.attempts == 1)
        #expect(transport.exchanges.count == 2)
    }

    /// The token of a hedge that was not sent is the next one's.
    @Test func aDroppedHedgeCostsNothing() async throws {
        let places = Places(free: .init(1))
        let engine = engine(HedgingPolicy(fixedDelay: .milliseconds(50), maximumShare: 0.5)) {
            $0.protection.admission = places
        }
        // Two calls pay for one hedge; the first ends at once.
        let early = try call(engine)
        #expect(await transport.begun(1))
        transport.end(0, status: 200)
        _ = try await early.value
        let call = try call(engine)
        #expect(await transport.begun(2))
        clock.advance(by: .milliseconds(50))
        await eventually { engine.hedgingStatistics?.drops == 1 }
        transport.end(1, status: 200)
        _ = try await call.value
        places.free.withLock { $0 = 2 }
        let third = try self.call(engine)
        #expect(await transport.begun(3))
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(50))
        #expect(await transport.begun(4))
        transport.end(3, status: 200)
        _ = try await third.value
        transport.end(2, status: 200)
        #expect(engine.hedgingStatistics?.refusals == 0)
    }

    // MARK: Budgets

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
            $0.retry.budget = RetryBudget(share: 0, perSecond: 0, reserve: 1)
            $0.retry.policy = ExponentialRetryPolicy(maximumAttempts: 2, backoff: .immediate, jitter: .none)
        }
        let call = try await hedged(engine)
        transport.end(0, status: 503)
        transport.end(1, status: 503)
        #expect(await transport.begun(3))
        transport.end(2, status: 200)
        #expect(try await call.value.status == 200)
    }
}
