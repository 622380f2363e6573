import GatewayAuth
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

/// Work in the background does not end with the call that began it.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct InheritedDeadlineTests {
    @Test func aRefreshInTheBackgroundOutlivesTheCallsDeadline() async throws {
        let (clock, gate) = (ManualClock(), Gate())
        let acquirer = ScriptedAcquirer { _, index in
            if index == 1 { await gate.pass() }
            return TokenGrant(accessToken: Secret("token-\(index + 1)"), expiresIn: .seconds(1000))
        }
        let coordinator = TokenRefreshCoordinator(
            acquirer: acquirer, clock: clock, random: SeededRandomSource(seed: 1))
        let engine = AuthenticatedRequestEngine(
            transport: FakeGateway(accepting: "token-1", "token-2"), coordinator: coordinator,
            scope: try CredentialScope(["https://api.example.com"]), clock: clock)
        _ = try await coordinator.token()
        clock.advance(by: .seconds(960))
        let context = RequestContext(options: CallOptions(deadline: .seconds(1)), clock: clock)
        let deadline = try #require(context.deadline)
        let call = Task {
            try await engine.send(
                try HTTPRequest(.get, "https://api.example.com/"), context: context)
        }
        await gate.waitForArrivals(1)
        #expect(try await call.value.exchange.stamp?.generation == 1)
        call.cancel()
        clock.advance(by: .seconds(5))
        gate.open()
        #expect(try await coordinator.token(atLeast: 2).generation == 2)
        #expect(acquirer.count == 2)
        #expect(acquirer.requests[1].deadline.instant > deadline.instant)
    }
}
