import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayAuth

/// Waiting until everything is stored.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct StoreWaitTests {
    private let rig = StoredRig()

    private func wait(
        _ coordinator: TokenRefreshCoordinator, _ deadline: Deadline? = nil
    ) -> Task<NetworkError.Code?, Never> {
        Task {
            await outcome { () throws(NetworkError) in
                try await coordinator.waitUntilStored(deadline: deadline)
            }.code
        }
    }

    /// A coordinator with a write that does not end.
    private func writing(_ gate: Gate) async -> TokenRefreshCoordinator {
        rig.store.set { $0.storeGate = gate }
        let coordinator = rig.start()
        coordinator.signOut()
        await gate.waitForArrivals(1)
        return coordinator
    }

    @Test func itEndsAtItsDeadline() async throws {
        let gate = Gate()
        let coordinator = await writing(gate)
        let waiting = wait(coordinator, Deadline(rig.clock.now + .seconds(5)))
        await rig.clock.waitForSleepers(1)
        rig.clock.advance(by: .seconds(5))
        #expect(await waiting.value == .timeout)
        gate.open()
        #expect(await wait(coordinator).value == nil)
        #expect(try await rig.shared.load(.default)?.content == .signedOut)
        #expect(await wait(coordinator, Deadline(rig.clock.now - .seconds(1))).value == nil)
    }

    @Test func itEndsWhenItsTaskIsCancelled() async throws {
        let gate = Gate()
        let coordinator = await writing(gate)
        let (first, second) = (wait(coordinator), wait(coordinator))
        first.cancel()
        #expect(await first.value == .cancelled)
        gate.open()
        #expect(await second.value == nil)
    }

    @Test func itWaitsForTheAnswerToARefresh() async throws {
        let gate = Gate()
        rig.server.hold(1, gate)
        let coordinator = rig.start()
        let caller = Task { await outcome { () throws(NetworkError) in try await coordinator.token() } }
        await gate.waitForArrivals(1)
        await rig.clock.waitForSleepers(1)
        rig.clock.advance(by: .seconds(30))
        #expect(await caller.value.code == .tokenOutcomeUnknown)
        let waiting = wait(coordinator)
        let hasty = wait(coordinator, Deadline(rig.clock.now + .seconds(1)))
        await rig.clock.waitForSleepers(2)
        rig.clock.advance(by: .seconds(1))
        #expect(await hasty.value == .timeout)
        gate.open()
        #expect(await waiting.value == nil)
        #expect(try await rig.shared.load(.default)?.grant?.refreshToken == Secret("r1"))
    }

    @Test func itWaitsNoLongerThanTheRequestMayTake() async throws {
        let gate = Gate()
        rig.server.hold(1, gate)
        let coordinator = rig.start()
        let caller = Task { await outcome { () throws(NetworkError) in try await coordinator.token() } }
        await gate.waitForArrivals(1)
        let waiting = wait(coordinator)
        for time in [30, 90, 2] {
            await rig.clock.waitForSleepers(1)
            rig.clock.advance(by: .seconds(time))
            await eventually { rig.clock.sleeperCount == (time == 2 ? 0 : 1) }
        }
        #expect(await waiting.value == nil)
        #expect(await caller.value.code == .tokenOutcomeUnknown)
        gate.open()
    }

    @Test func itTellsWhyAnAnswerCouldNotBeStored() async throws {
        let gate = Gate()
        rig.server.hold(1, gate)
        let coordinator = rig.start()
        let caller = Task { try await coordinator.token() }
        await gate.waitForArrivals(1)
        let waiting = wait(coordinator)
        let slot = coordinator.slot(for: .default)
        await eventually { slot.state.withLock { $0.storing?.waiterCount } == 1 }
        rig.store.set { $0.store = TroubledTokenStore.failure }
        gate.open()
        #expect(await waiting.value == .tokenStoreFailed)
        #expect(try await rig.secret(caller.value) == "a1")
    }
}
