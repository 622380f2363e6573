import GatewayAuth
import GatewayCore
import GatewayTesting
import Testing

/// Clocks that are wrong, stand still or jump.
@Suite(.timeLimit(.minutes(1))) struct ClockTests {
    private let clock = ManualClock()

    /// Calls for a quarter of an hour, every three seconds, with tokens of ten minutes.
    private func calls(_ coordinator: TokenRefreshCoordinator) async -> [NetworkError.Code?] {
        var codes: [NetworkError.Code?] = []
        for _ in 0..<300 {
            codes.append(await outcome { () throws(NetworkError) in try await coordinator.token() }.code)
            // A refresh in the background takes no time.
            await coordinator.waitForRequests()
            clock.advance(by: .seconds(3))
        }
        return codes
    }

    @Test(arguments: [-3600, 3600, -86_400])
    func inTheProcessTheWallClockDoesNotMatter(step: Int) async throws {
        let acquirer = ScriptedAcquirer(expiresIn: .seconds(600))
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer, policy: .impatient, clock: clock)
        _ = try await coordinator.token()
        clock.setUnixTime(clock.unixTime + .seconds(step))
        #expect(await calls(coordinator).allSatisfy { $0 == nil })
        #expect(acquirer.count == 2)
    }

    @Test func afterASuspendOneRefreshServesAll() async throws {
        let gate = Gate()
        let acquirer = ScriptedAcquirer { _, index in
            if index == 1 { await gate.pass() }
            return TokenGrant(accessToken: Secret("token-\(index + 1)"), expiresIn: .seconds(600))
        }
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer, policy: .impatient, clock: clock)
        _ = try await coordinator.token()
        clock.advance(by: .seconds(8 * 3600))
        let callers = (0..<100).map { _ in
            Task { await outcome { () throws(NetworkError) in try await coordinator.token() } }
        }
        await gate.waitForArrivals(1)
        gate.open()
        for caller in callers { #expect(await caller.value.value?.generation == 2) }
        #expect(acquirer.count == 2)
    }

    /// A suspend in the middle of a refresh: its time is up, and what it brings is too old to count on.
    @Test func aSuspendDuringARefreshGivesNoTokenALongerLife() async throws {
        let clock = clock
        let acquirer = ScriptedAcquirer { _, index in
            if index == 0 { clock.advance(by: .seconds(700)) }
            return TokenGrant(accessToken: Secret("token-\(index + 1)"), expiresIn: .seconds(600))
        }
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer, policy: .impatient, clock: clock)
        let first = await outcome { () throws(NetworkError) in try await coordinator.token() }
        // The clock moves while the token is on its way: whichever is looked at first, the age or the limit.
        let codes: [NetworkError.Code] = [.tokenExpiredOnArrival, .tokenUnavailable, .tokenOutcomeUnknown]
        #expect(first.code.map(codes.contains) == true)
        clock.advance(by: .seconds(60))
        #expect(try await coordinator.token().accessToken == Secret("token-2"))
    }

    @Test(arguments: [-3600, 0, 3600])
    func aBackwardsStepOverAStoreCausesNoLoop(step: Int) async throws {
        let store = MemoryTokenStore(clock: clock)
        let acquirer = ScriptedAcquirer(expiresIn: .seconds(600))
        let first = TokenRefreshCoordinator(
            acquirer: acquirer, store: store, policy: .impatient, clock: clock)
        _ = try await first.token()
        clock.setUnixTime(clock.unixTime + .seconds(step))
        let second = TokenRefreshCoordinator(
            acquirer: acquirer, store: store, policy: .impatient, clock: clock)
        #expect(await calls(second).allSatisfy { $0 == nil })
        // Nine hundred seconds are two lives; an old record that looks expired is one more, and so is a renewal in the
        // background that the clock overtakes. A loop would be hundreds.
        #expect(acquirer.count <= 4)
    }
}
