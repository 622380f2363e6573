import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayAuth

/// Single-use requests that take longer than callers wait.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct LateGrantTests {
    private let clock = ManualClock()
    private let server = RotatingServer()
    private let gate = Gate()

    private func coordinator(
        _ policy: TokenRefreshPolicy = TokenRefreshPolicy.impatient, store: (any TokenStore)? = nil
    ) -> TokenRefreshCoordinator {
        TokenRefreshCoordinator(
            acquirer: server, store: store, policy: policy, clock: clock,
            random: SeededRandomSource(seed: 1))
    }

    private func ask(_ coordinator: TokenRefreshCoordinator) -> Task<Result<TokenLease, NetworkError>, Never>
    {
        Task { await outcome { () throws(NetworkError) in try await coordinator.token() } }
    }

    /// A caller whose refresh is under way when its limit passes.
    private func letTimePass(
        _ coordinator: TokenRefreshCoordinator, _ time: Duration = .seconds(30)
    ) async -> Task<Result<TokenLease, NetworkError>, Never> {
        server.hold(1, gate)
        let caller = ask(coordinator)
        await gate.waitForArrivals(1)
        await coordinator.waitForWaiters(1)
        await clock.waitForSleepers(1)
        clock.advance(by: time)
        return caller
    }

    @Test func aLateGrantIsUsed() async throws {
        let coordinator = coordinator()
        #expect(await letTimePass(coordinator).value.code == .tokenOutcomeUnknown)
        gate.open()
        let slot = coordinator.slot(for: .default)
        await eventually { slot.state.withLock { $0.machine.token } != nil }
        let lease = try await coordinator.token()
        #expect(lease.accessToken == Secret("a1"))
        // And its refresh token is the next that is sent.
        _ = try await coordinator.rejected(lease)
        #expect(server.used == ["r0", "r1"])
    }

    @Test func aLateGrantIsStoredForAllProcesses() async throws {
        let rig = StoredRig()
        rig.server.hold(1, gate)
        let (first, second) = (rig.start(), rig.start())
        let caller = ask(first)
        await gate.waitForArrivals(1)
        let other = ask(second)
        await eventually { rig.store.log.count { $0 == "lock" } == 2 }
        await rig.clock.waitForSleepers(3)
        // The lock is held: nobody else asks.
        rig.clock.advance(by: .seconds(28))
        #expect(await other.value.code == .tokenStoreFailed)
        rig.clock.advance(by: .seconds(2))
        #expect(await caller.value.code == .tokenOutcomeUnknown)
        #expect(!rig.store.log.contains("release"))
        #expect(rig.store.log.count { $0 == "extend" } == 1)
        gate.open()
        await eventually { rig.happened("refreshed") == 1 && rig.store.log.contains("release") }
        #expect(try await rig.shared.load(.default)?.grant?.refreshToken == Secret("r1"))
        rig.clock.advance(by: .seconds(60))
        #expect(try await rig.secret(second.token()) == "a1")
        #expect(rig.server.used == ["r0"])
    }

    @Test func untilTheLimitNobodySendsTheRefreshToken() async throws {
        let coordinator = coordinator()
        _ = await letTimePass(coordinator).value
        var pauses: [Duration] = []
        for _ in 0..<8 {
            clock.advance(by: .seconds(10))
            let result = await ask(coordinator).value
            #expect(result.code == .tokenOutcomeUnknown)
            if case .failure(let error) = result { pauses.append(error.retryAfter ?? .zero) }
        }
        #expect(pauses == [10, 20, 30, 40, 40, 30, 20, 10].map { .seconds($0) })
        #expect(server.count == 1)
        // Its own limit, and a moment to end by itself.
        clock.advance(by: .seconds(10))
        await eventually { clock.requestedDelays.contains(.seconds(2)) }
        #expect(await ask(coordinator).value.code == .tokenOutcomeUnknown)
        clock.advance(by: .seconds(2))
        let slot = coordinator.slot(for: .default)
        await eventually { slot.state.withLock { $0.machine.flight } == nil }
        #expect(await ask(coordinator).value.code == .tokenOutcomeUnknown)
        #expect(server.count == 1)
        // After the pause it is the only one there is.
        clock.advance(by: .seconds(60))
        #expect(await ask(coordinator).value.value?.accessToken == Secret("a2"))
        #expect(server.used == ["r0", "r0"])
        gate.open()
    }

    @Test func theLimitIsTheRequestsDeadlineAndNeverLessThanTheCallers() async throws {
        for (limit, expected) in [(300, 300), (5, 30)] {
            let start = clock.now
            let acquirer = ScriptedAcquirer()
            var policy = TokenRefreshPolicy.impatient
            policy.exchangeTimeout = .seconds(limit)
            _ = try await TokenRefreshCoordinator(acquirer: acquirer, policy: policy, clock: clock).token()
            #expect(acquirer.requests.map(\.deadline) == [Deadline(start + .seconds(expected))])
        }
    }

    @Test func aTokenThatIsGoodIsServedMeanwhile() async throws {
        let coordinator = coordinator()
        _ = try await coordinator.token()
        server.hold(2, gate)
        // It is renewed in the background, and good for 35 seconds more.
        clock.advance(by: .seconds(3565))
        #expect(try await coordinator.token().generation == 1)
        await gate.waitForArrivals(1)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(30))
        await eventually { clock.requestedDelays.contains(.seconds(90)) }
        #expect(try await coordinator.token().generation == 1)
        clock.advance(by: .seconds(5))
        #expect(await ask(coordinator).value.code == .tokenOutcomeUnknown)
        gate.open()
        let slot = coordinator.slot(for: .default)
        await eventually { slot.state.withLock { $0.machine.generation } == 2 }
        #expect(try await coordinator.token().generation == 2)
    }

    @Test func whoHasPatienceWaitsForALateGrant() async throws {
        var policy = TokenRefreshPolicy.impatient
        policy.outagePatience = .seconds(50)
        let coordinator = coordinator(policy)
        let patient = await letTimePass(coordinator)
        // The limit has passed, and the first sleeps on; its patience has an alarm.
        await eventually { clock.sleeperCount == 2 }
        clock.advance(by: .seconds(10))
        let second = ask(coordinator)
        await coordinator.waitForWaiters(2)
        clock.advance(by: .seconds(10))
        #expect(await patient.value.code == .tokenOutcomeUnknown)
        await coordinator.waitForWaiters(1)
        gate.open()
        #expect(await second.value.value?.accessToken == Secret("a1"))
        #expect(server.count == 1)
    }

    @Test func aNewLoginDoesNotSendWhatTheOldOneSends() async throws {
        let coordinator = coordinator()
        server.hold(1, gate)
        let caller = ask(coordinator)
        await gate.waitForArrivals(1)
        coordinator.signOut()
        #expect(await caller.value.code == .signedOut)
        coordinator.signIn()
        #expect(await ask(coordinator).value.code == .tokenOutcomeUnknown)
        #expect(server.count == 1)
        // Its own refresh token may go out.
        coordinator.signIn(
            with: TokenGrant(
                accessToken: Secret("theirs"), expiresIn: .seconds(60), refreshToken: Secret("r7")))
        let lease = try await coordinator.token()
        _ = await outcome { () throws(NetworkError) in try await coordinator.rejected(lease) }
        #expect(server.used == ["r0", "r7"])
        gate.open()
    }

    @Test func aRequestThatCanBeRepeatedHoldsNobodyUp() async throws {
        server.repeatsRequests()
        let coordinator = coordinator()
        #expect(await letTimePass(coordinator).value.code == .tokenUnavailable)
        clock.advance(by: .seconds(1))
        #expect(await ask(coordinator).value.value?.accessToken == Secret("a2"))
        gate.open()
    }
}
