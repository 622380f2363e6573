import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayAuth

/// One refresh for all, and nobody's departure touches the others.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct SingleFlightTests {
    private let clock = ManualClock()

    private func coordinator(_ acquirer: any TokenAcquirer) -> TokenRefreshCoordinator {
        TokenRefreshCoordinator(
            acquirer: acquirer, policy: .impatient, clock: clock, random: SeededRandomSource(seed: 1))
    }

    @Test func manyCallersShareOneRequest() async throws {
        let gate = Gate()
        let acquirer = ScriptedAcquirer { _, _ in
            await gate.pass()
            return TokenGrant(accessToken: Secret("token"))
        }
        let coordinator = coordinator(acquirer)
        try await withThrowingTaskGroup(of: TokenLease.self) { group in
            for _ in 0..<1000 { group.addTask { try await coordinator.token() } }
            await coordinator.waitForWaiters(1000)
            gate.open()
            for try await lease in group { #expect(lease.generation == 1) }
        }
        #expect(acquirer.count == 1)
    }

    @Test func callersThatComeDuringTheRefreshJoinIt() async throws {
        let gate = Gate()
        let acquirer = ScriptedAcquirer { _, index in
            if index == 1 { await gate.pass() }
            return TokenGrant(accessToken: Secret("token-\(index)"))
        }
        let coordinator = coordinator(acquirer)
        let old = try await coordinator.token()
        async let first = coordinator.rejected(old)
        await coordinator.waitForWaiters(1)
        async let second = coordinator.rejected(old)
        await coordinator.waitForWaiters(2)
        async let third = coordinator.rejected(old)
        await coordinator.waitForWaiters(3)
        gate.open()
        let generations = try await [first.generation, second.generation, third.generation]
        #expect(generations == [2, 2, 2])
        #expect(acquirer.count == 2)
    }

    @Test func anOlderGenerationIsAnsweredWithoutARequest() async throws {
        let acquirer = ScriptedAcquirer()
        let coordinator = coordinator(acquirer)
        let old = try await coordinator.token()
        let new = try await coordinator.rejected(old)
        for _ in 0..<10 {
            let again = try await coordinator.rejected(old)
            #expect(again.generation == new.generation)
        }
        #expect(acquirer.count == 2)
    }

    @Test func cancellingLeadersFailsNobodyElse() async throws {
        let gate = Gate()
        let acquirer = ScriptedAcquirer { _, _ in
            await gate.pass()
            return TokenGrant(accessToken: Secret("token"))
        }
        let coordinator = coordinator(acquirer)
        let leader = Task { await outcome { () throws(NetworkError) in try await coordinator.token() } }
        await coordinator.waitForWaiters(1)
        let second = Task { await outcome { () throws(NetworkError) in try await coordinator.token() } }
        await coordinator.waitForWaiters(2)
        let others = (0..<20).map { _ in
            Task { await outcome { () throws(NetworkError) in try await coordinator.token() } }
        }
        await coordinator.waitForWaiters(22)
        leader.cancel()
        #expect(await leader.value.code == .cancelled)
        second.cancel()
        #expect(await second.value.code == .cancelled)
        await coordinator.waitForWaiters(20)
        gate.open()
        for other in others { #expect(await other.value.value?.generation == 1) }
        #expect(acquirer.count == 1)
    }

    @Test func theGrantIsKeptThoughEverybodyLeft() async throws {
        let gate = Gate()
        let acquirer = ScriptedAcquirer { _, _ in
            await gate.pass()
            return TokenGrant(accessToken: Secret("token"), refreshToken: Secret("next"))
        }
        let coordinator = coordinator(acquirer)
        let callers = (0..<5).map { _ in
            Task { await outcome { () throws(NetworkError) in try await coordinator.token() } }
        }
        await coordinator.waitForWaiters(5)
        for caller in callers { caller.cancel() }
        for caller in callers { #expect(await caller.value.code == .cancelled) }
        gate.open()
        let slot = coordinator.slot(for: .default)
        await eventually { slot.state.withLock { $0.machine.token } != nil }
        #expect(try await coordinator.token().accessToken == Secret("token"))
        #expect(slot.state.withLock { $0.machine.lastGrant?.refreshToken } == Secret("next"))
        #expect(acquirer.count == 1)
    }

    @Test func aCancelledCallerReturnsThoughTheRefreshHangs() async throws {
        let gate = Gate()
        let coordinator = coordinator(
            ScriptedAcquirer { _, _ in
                await gate.pass()
                return TokenGrant(accessToken: Secret("token"))
            })
        let caller = Task { await outcome { () throws(NetworkError) in try await coordinator.token() } }
        await coordinator.waitForWaiters(1)
        caller.cancel()
        #expect(await caller.value.code == .cancelled)
        gate.open()
    }

    @Test func aTaskThatIsCancelledAlreadyBeginsNothing() async throws {
        let acquirer = ScriptedAcquirer()
        let coordinator = coordinator(acquirer)
        let gate = Gate()
        let caller = Task {
            await gate.pass()
            return await outcome { () throws(NetworkError) in try await coordinator.token() }
        }
        caller.cancel()
        gate.open()
        #expect(await caller.value.code == .cancelled)
        #expect(acquirer.count == 0)
    }

    @Test func aFailureIsOneRequestAndTheSameErrorForAll() async throws {
        let gate = Gate()
        let acquirer = ScriptedAcquirer { _, _ in
            await gate.pass()
            throw NetworkError(.connectionRefused, "no")
        }
        let coordinator = coordinator(acquirer)
        let callers = (0..<100).map { _ in
            Task { await outcome { () throws(NetworkError) in try await coordinator.token() } }
        }
        await coordinator.waitForWaiters(100)
        gate.open()
        var texts: Set<String> = []
        for caller in callers {
            let result = await caller.value
            #expect(result.code == .tokenUnavailable)
            if case .failure(let error) = result {
                texts.insert("\(error) \(String(describing: error.retryAfter))")
            }
        }
        #expect(texts.count == 1)
        #expect(acquirer.count == 1)
    }

    @Test func aFailureIsNotSticky() async throws {
        let acquirer = ScriptedAcquirer { _, index in
            if index == 0 { throw NetworkError(.connectionRefused, "no") }
            return TokenGrant(accessToken: Secret("token"))
        }
        let coordinator = coordinator(acquirer)
        let first = await outcome { () throws(NetworkError) in try await coordinator.token() }
        guard case .failure(let error) = first, let wait = error.retryAfter else {
            Issue.record("no retryAfter")
            return
        }
        #expect(
            await outcome { () throws(NetworkError) in try await coordinator.token() }.code
                == .tokenUnavailable)
        #expect(acquirer.count == 1)
        clock.advance(by: wait)
        #expect(try await coordinator.token().generation == 1)
    }

    @Test func aPermanentFailureLastsUntilSomebodySignsIn() async throws {
        let acquirer = ScriptedAcquirer { _, index in
            if index == 0 { throw NetworkError(.reauthenticationRequired, "no") }
            return TokenGrant(accessToken: Secret("token"))
        }
        let coordinator = coordinator(acquirer)
        for _ in 0..<5 {
            let result = await outcome { () throws(NetworkError) in try await coordinator.token() }
            #expect(result.code == .reauthenticationRequired)
            clock.advance(by: .seconds(100_000))
        }
        #expect(acquirer.count == 1)
        coordinator.signIn()
        #expect(try await coordinator.token().generation == 1)
    }
}
