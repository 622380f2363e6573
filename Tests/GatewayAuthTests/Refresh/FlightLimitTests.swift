import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayAuth

/// Refreshes that take too long, and callers who have less time than that.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct FlightLimitTests {
    private let clock = ManualClock()

    private func coordinator(_ acquirer: any TokenAcquirer) -> TokenRefreshCoordinator {
        TokenRefreshCoordinator(
            acquirer: acquirer, policy: .impatient, clock: clock, random: SeededRandomSource(seed: 1))
    }

    private final class Hanging: TokenAcquirer {
        let gate = Gate()
        let calls = Locked(0)
        func isSingleUse(after previous: TokenGrant?) -> Bool { false }
        func acquire(_ request: TokenRequest) async throws -> TokenGrant {
            let call = calls.withLock { calls in
                calls += 1
                return calls
            }
            // Deaf to cancellation.
            if call == 1 { await gate.pass() }
            return TokenGrant(accessToken: Secret("token-\(call)"))
        }
    }

    @Test func aProviderThatNeverReturnsIsGivenUp() async throws {
        let acquirer = Hanging()
        let coordinator = coordinator(acquirer)
        let caller = Task { await outcome { () throws(NetworkError) in try await coordinator.token() } }
        await coordinator.waitForWaiters(1)
        // Otherwise the next request is the first call.
        await acquirer.gate.waitForArrivals(1)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(30))
        #expect(await caller.value.code == .tokenUnavailable)
        clock.advance(by: .seconds(1))
        #expect(try await coordinator.token().accessToken == Secret("token-2"))
        // What comes too late replaces nothing.
        acquirer.gate.open()
        await eventually { clock.sleeperCount == 0 }
        #expect(try await coordinator.token().accessToken == Secret("token-2"))
    }

    @Test func aGrantThatComesLateIsUsedWhereNothingElseCame() async throws {
        let acquirer = Hanging()
        let coordinator = coordinator(acquirer)
        let caller = Task { await outcome { () throws(NetworkError) in try await coordinator.token() } }
        await coordinator.waitForWaiters(1)
        // Otherwise the next request is the first call.
        await acquirer.gate.waitForArrivals(1)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(30))
        #expect(await caller.value.code == .tokenUnavailable)
        acquirer.gate.open()
        let slot = coordinator.slot(for: .default)
        await eventually { slot.state.withLock { $0.machine.token } != nil }
        #expect(try await coordinator.token().accessToken == Secret("token-1"))
    }

    @Test func callersLeaveAtTheirOwnDeadlines() async throws {
        let gate = Gate()
        let acquirer = ScriptedAcquirer { _, _ in
            await gate.pass()
            return TokenGrant(accessToken: Secret("token"))
        }
        let coordinator = coordinator(acquirer)
        let now = clock.now
        let callers = [5, 2, 9].map { seconds in
            Task {
                await outcome { () throws(NetworkError) in
                    try await coordinator.token(deadline: Deadline(now + .seconds(seconds)))
                }
            }
        }
        let patient = Task { await outcome { () throws(NetworkError) in try await coordinator.token() } }
        await coordinator.waitForWaiters(4)
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(2))
        #expect(await callers[1].value.code == .timeout)
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(3))
        #expect(await callers[0].value.code == .timeout)
        await coordinator.waitForWaiters(2)
        gate.open()
        #expect(await callers[2].value.value?.generation == 1)
        #expect(await patient.value.value?.generation == 1)
        await eventually { clock.sleeperCount == 0 }
        #expect(acquirer.count == 1)
    }

    @TaskLocal private static var mark = "none"

    @Test func nothingOfTheFirstCallerGetsIntoTheFlight() async throws {
        let seen = Locked<(String, Deadline?)>(("", nil))
        let start = clock.now
        let acquirer = ScriptedAcquirer { request, _ in
            let mark = Self.mark
            seen.withLock { $0 = (mark, request.deadline) }
            return TokenGrant(accessToken: Secret("token"))
        }
        let coordinator = coordinator(acquirer)
        try await Self.$mark.withValue("caller") {
            _ = try await coordinator.token(deadline: Deadline(start + .seconds(1)))
        }
        #expect(seen.withLock { $0.0 } == "none")
        #expect(seen.withLock { $0.1 } == Deadline(start + .seconds(120)))
    }

    @Test func aDeadlineThatHasPassedBeginsNothing() async throws {
        let acquirer = ScriptedAcquirer()
        let coordinator = coordinator(acquirer)
        let past = Deadline(clock.now)
        let result = await outcome { () throws(NetworkError) in try await coordinator.token(deadline: past) }
        #expect(result.code == .timeout)
        #expect(acquirer.count == 0)
    }
}
