import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayAuth

/// Callers who wait while a token server is down for a moment.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct OutageTests {
    private let clock = ManualClock()
    private static let down = NetworkError(.tokenUnavailable, "down", retryAfter: .seconds(7), status: 503)

    private func coordinator(
        _ acquirer: any TokenAcquirer, patience: Duration = .seconds(60)
    ) -> TokenRefreshCoordinator {
        var policy = TokenRefreshPolicy()
        policy.outagePatience = patience
        return TokenRefreshCoordinator(
            acquirer: acquirer, policy: policy, clock: clock, random: SeededRandomSource(seed: 1))
    }

    /// Fails so many times before it gives a token.
    private func acquirer(failures: Int, _ error: NetworkError = down) -> ScriptedAcquirer {
        ScriptedAcquirer { _, index in
            if index < failures { throw error }
            return TokenGrant(accessToken: Secret("token"), expiresIn: .seconds(3600))
        }
    }

    /// Advances the clock until the waiters have made that many requests. Refreshes sleep by the same clock until their
    /// deadlines; waiters sleep for the time that the server asked for.
    private func proceed(_ acquirer: ScriptedAcquirer, waiters: Int, requests: Int) async {
        var pauses = 0
        while acquirer.count < requests {
            pauses += waiters
            guard await waitForPauses(pauses) else { return }
            let count = acquirer.count
            clock.advance(by: .seconds(7))
            guard await eventually({ acquirer.count > count }) else { return }
        }
    }

    /// Returns when that many pauses of an outage have begun.
    @discardableResult
    private func waitForPauses(_ count: Int) async -> Bool {
        await eventually { clock.requestedDelays.count { $0 == .seconds(7) } >= count }
    }

    @Test func aShortOutageIsWaitedOutByAllWithOneRequestAtATime() async throws {
        let acquirer = acquirer(failures: 2)
        let coordinator = coordinator(acquirer)
        try await withThrowingTaskGroup(of: TokenLease.self) { group in
            for _ in 0..<100 { group.addTask { try await coordinator.token() } }
            await proceed(acquirer, waiters: 100, requests: 3)
            for try await lease in group { #expect(lease.generation == 1) }
        }
        #expect(acquirer.count == 3)
        // Each began when the server had said that it might.
        let ends = acquirer.requests.map(\.deadline.instant)
        #expect(zip(ends, ends.dropFirst()).allSatisfy { $0.duration(to: $1) == .seconds(7) })
    }

    /// As a call does that was answered 401.
    @Test func aRejectedTokenIsWaitedForToo() async throws {
        let acquirer = ScriptedAcquirer { _, index in
            if index == 1 { throw Self.down }
            return TokenGrant(accessToken: Secret("token-\(index)"), expiresIn: .seconds(3600))
        }
        let coordinator = coordinator(acquirer)
        let lease = try await coordinator.token()
        let deadline = Deadline.after(.seconds(8), clock: clock)
        async let next = coordinator.rejected(lease, deadline: deadline)
        await proceed(acquirer, waiters: 1, requests: 3)
        #expect(try await next.generation == 2)
    }

    /// A call with more time that waits with this one may go on.
    @Test(arguments: [(Duration.seconds(60), Duration.seconds(5), true), (.seconds(5), .seconds(60), false)])
    func aDeadlineThatEndsTheWaitIsNamed(patience: Duration, deadline: Duration, isNamed: Bool) async throws {
        let coordinator = coordinator(acquirer(failures: 1), patience: patience)
        let result = await outcome { () throws(NetworkError) in
            try await coordinator.token(deadline: .after(deadline, clock: clock))
        }
        guard case .failure(let error) = result else {
            Issue.record("A token was returned during the outage.")
            return
        }
        #expect(error.code == .tokenUnavailable)
        #expect(error.unmetDelay == (isNamed ? .seconds(7) : nil))
    }

    @Test(arguments: [(Duration.seconds(60), Duration.seconds(7)), (.seconds(7), .seconds(60))])
    func whoCannotWaitThatLongIsToldAtOnce(patience: Duration, deadline: Duration) async throws {
        let acquirer = acquirer(failures: 1)
        let coordinator = coordinator(acquirer, patience: patience)
        let result = await outcome { () throws(NetworkError) in
            try await coordinator.token(deadline: .after(deadline, clock: clock))
        }
        guard case .failure(let error) = result else {
            Issue.record("A token was returned during the outage.")
            return
        }
        #expect(error.code == .tokenUnavailable && error.retryAfter == .seconds(7) && error.status == 503)
        #expect(acquirer.count == 1)
    }

    @Test func patienceCountsFromWhenACallerCame() async throws {
        let acquirer = acquirer(failures: 100)
        let coordinator = coordinator(acquirer, patience: .seconds(20))
        async let result = outcome { () throws(NetworkError) in try await coordinator.token() }
        await proceed(acquirer, waiters: 1, requests: 3)
        #expect(await result.code == .tokenUnavailable)
        #expect(acquirer.count == 3)
    }

    @Test func whoIsCancelledLeavesAtOnceAndTheOthersGoOn() async throws {
        let acquirer = acquirer(failures: 1)
        let coordinator = coordinator(acquirer)
        let first = Task { await outcome { () throws(NetworkError) in try await coordinator.token() } }
        let second = Task { await outcome { () throws(NetworkError) in try await coordinator.token() } }
        await waitForPauses(2)
        first.cancel()
        #expect(await first.value.code == .cancelled)
        await proceed(acquirer, waiters: 1, requests: 2)
        #expect(await second.value.value?.generation == 1)
    }

    /// Neither what lasts nor what may have been spent is tried again for somebody who waits.
    @Test(arguments: [
        NetworkError.Code.reauthenticationRequired, .credentialMisconfigured, .tokenOutcomeUnknown,
        .tokenResponseMalformed, .interactionRequired,
    ])
    func otherFailuresEndTheWait(code: NetworkError.Code) async throws {
        let acquirer = acquirer(failures: 1, NetworkError(code, "no"))
        let coordinator = coordinator(acquirer)
        let result = await outcome { () throws(NetworkError) in try await coordinator.token() }
        #expect(result.code == code)
        #expect(acquirer.count == 1)
    }

    /// The default is some seconds: a token server that restarts fails no call.
    @Test func byDefaultAShortOutageIsWaitedOut() async throws {
        let acquirer = acquirer(failures: 1, NetworkError(.tokenUnavailable, "down", status: 503))
        let coordinator = TokenRefreshCoordinator(
            acquirer: acquirer, clock: clock, random: SeededRandomSource(seed: 1))
        async let lease = coordinator.token()
        await eventually { clock.requestedDelays.contains { $0 <= .milliseconds(500) } }
        clock.advance(by: .milliseconds(500))
        #expect(try await lease.generation == 1)
        #expect(acquirer.count == 2)
    }

    /// A pause that is longer than the patience is told at once, and so is a failure at the end of it.
    @Test func byDefaultALongOutageEndsInSeconds() async throws {
        let acquirer = acquirer(failures: 100)
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer, clock: clock)
        let result = await outcome { () throws(NetworkError) in try await coordinator.token() }
        guard case .failure(let error) = result else {
            Issue.record("There was no token to be had.")
            return
        }
        #expect(error.code == .tokenUnavailable && error.category == .transient && error.isRetryable)
        #expect(error.guidance == .retry && !error.messageForPeople.contains("sign in"))
        #expect(error.retryAfter == .seconds(7))
        #expect(acquirer.count == 1)
    }

    /// A refresh in the background that fails is waited for by nobody.
    @Test func aFailureInTheBackgroundHoldsUpNobody() async throws {
        let acquirer = ScriptedAcquirer { _, index in
            if index > 0 { throw NetworkError(.tokenUnavailable, "down") }
            return TokenGrant(accessToken: Secret("token"), expiresIn: .seconds(3600))
        }
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer, clock: clock)
        _ = try await coordinator.token()
        clock.advance(by: .seconds(3500))
        #expect(try await coordinator.token().generation == 1)
        await eventually { acquirer.count == 2 }
        #expect(try await coordinator.token().generation == 1)
    }

    /// Nothing of one login is waited for in the next.
    @Test func aSignOutEndsTheWait() async throws {
        let acquirer = acquirer(failures: 1)
        let coordinator = coordinator(acquirer)
        async let result = outcome { () throws(NetworkError) in try await coordinator.token() }
        await waitForPauses(1)
        coordinator.signOut()
        clock.advance(by: .seconds(7))
        #expect(await result.code == .signedOut)
        #expect(acquirer.count == 1)
    }
}
