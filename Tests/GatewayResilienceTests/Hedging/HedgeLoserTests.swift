import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// The attempt that has lost ends by itself, and both end with the call.
extension HedgingEngineTests {
    @Test func cancellationEndsBothAttempts() async throws {
        let engine = engine()
        let call = try await hedged(engine)
        call.cancel()
        let error = await #expect(throws: NetworkError.self) { try await call.value }
        #expect(error?.code == .cancelled && error?.attempts == 2)
        #expect(transport.exchanges.allSatisfy { $0.isCancelled })
        #expect(transport.exchanges.allSatisfy { !$0.context.isAbandoned })
    }

    /// The attempts run in tasks of their own, which a cancelled call does not begin.
    @Test func aCallThatWasCancelledSendsNothing() async throws {
        let policy = HedgingPolicy(fixedDelay: .milliseconds(50), maximumShare: 1)
        let hedging = Hedging(policy, clock: clock)
        let engine = RetryEngine(
            below: AttemptEngine(transport: transport), policy: .never, hedging: hedging)
        let request = try HTTPRequest(.get, "http://h/x")
        let call = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await engine.send(request, context: RequestContext())
        }
        call.cancel()
        let error = await #expect(throws: NetworkError.self) { try await call.value }
        #expect(error?.code == .cancelled && error?.attempts == 0)
        #expect(transport.exchanges.isEmpty && hedging.timer.count == 0)
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

    @Test func aLoserBehindARateGateIsAbandoned() async throws {
        let gate = try RateGate(clock: clock)
        let engine = engine { $0.protection.rateGate = gate }
        let limited = try call(engine, options: CallOptions(isHedged: false))
        #expect(await transport.begun(1))
        transport.end(0, status: 429, fields: ["Retry-After": "60"])
        _ = try await limited.value
        let call = try await hedged(engine, options: CallOptions(rateGate: .ignore))
        transport.end(2, status: 200)
        _ = try await call.value
        #expect(transport.exchanges[1].context.isAbandoned && !transport.exchanges[2].context.isAbandoned)
        transport.end(1, status: 200)
    }

    /// What the response of a loser says of the rate limit counts.
    @Test func theResponseOfALoserClosesTheRateGate() async throws {
        let gate = try RateGate(clock: clock)
        let engine = engine { $0.protection.rateGate = gate }
        let call = try await hedged(engine)
        transport.end(1, status: 200)
        _ = try await call.value
        #expect(!gate.mark.isLimiting)
        transport.end(0, status: 429, fields: ["Retry-After": "60"])
        #expect(await isEventually { gate.mark.isLimiting })
    }

    /// An attempt that its call did not wait for has its end among the events, too.
    @Test(arguments: [200, nil]) func theEndOfALoserIsReported(status: Int?) async throws {
        let engine = engine()
        let call = try await hedged(engine)
        transport.end(1, status: 200)
        _ = try await call.value
        #expect(attemptEnds == 1)
        endFirst(status)
        await eventually { attemptEnds == 2 }
    }

    /// What a loser says of its host counts.
    @Test func theResponseOfALoserIsRecorded() async throws {
        let store = HSTSPolicyStore(clock: clock)
        let engine = engine { $0.strictTransport = store }
        let call = Task { try await engine.send(try HTTPRequest(.get, "https://example.com/x")) }
        #expect(await transport.begun(1))
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(50))
        #expect(await transport.begun(2))
        transport.end(1, status: 200)
        _ = try await call.value
        let plain = try Origin("http://example.com")
        #expect(store.upgraded(plain) == plain)
        transport.end(0, status: 200, fields: ["Strict-Transport-Security": "max-age=600"])
        await eventually { store.upgraded(plain) != plain }
    }

    private var attemptEnds: Int {
        events.events.count { if case .attemptEnded = $0.kind { true } else { false } }
    }
}

extension HedgingEngineTests {
    /// Ends the first attempt with a response, or with an error.
    func endFirst(_ status: Int?) {
        if let status {
            transport.end(0, status: status)
        } else {
            transport.end(0, .failure(NetworkError(.connectionLost, "lost", origin: origin, attempts: 1)))
        }
    }
}
