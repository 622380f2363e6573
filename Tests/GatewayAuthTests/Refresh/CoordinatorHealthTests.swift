import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayAuth

@Suite struct CoordinatorHealthTests {
    private let clock = ManualClock()
    private let key = TokenKey(
        issuer: "https://login.example.com/token?code=hunter2", client: "shop", scopes: ["b", "a"])

    private func coordinator(_ acquirer: any TokenAcquirer) -> TokenRefreshCoordinator {
        TokenRefreshCoordinator(
            acquirer: acquirer, policy: .impatient, clock: clock, random: SeededRandomSource(seed: 1))
    }

    /// health.no-secret
    @Test func aLabelHasNoQueryAndNoSubject() async throws {
        let coordinator = coordinator(ScriptedAcquirer())
        _ = try await coordinator.token(for: key)
        for subject in ["alice", "bob"] {
            _ = try await coordinator.token(
                for: TokenKey(issuer: "i", client: "shop", tenant: "acme", subject: subject))
        }
        _ = try await coordinator.token()
        let health = coordinator.health
        #expect(health.map(\.label) == ["default", "https://login.example.com/token shop a b", "i shop"])
        #expect(health[2].credentials == 2 && health[2].usable == 2 && health[2].isForSubjects)
        let text = String(reflecting: health)
        for secret in ["hunter2", "alice", "bob", "acme", "token-"] { #expect(!text.contains(secret)) }
    }

    @Test func theLifetimeAndTheFailureAreShown() async throws {
        let acquirer = ScriptedAcquirer { _, index in
            guard index == 0 else { throw NetworkError(.tokenUnavailable, "down") }
            return TokenGrant(accessToken: Secret("token"), expiresIn: .seconds(3600))
        }
        let coordinator = coordinator(acquirer)
        let lease = try await coordinator.token(for: key)
        clock.advance(by: .seconds(600))
        #expect(coordinator.health.first?.validFor == .seconds(3000))
        #expect(coordinator.health.first?.failure == nil)
        _ = await outcome { () async throws(NetworkError) in try await coordinator.rejected(lease) }
        let failed = try #require(coordinator.health.first)
        #expect(failed.usable == 0 && failed.failed == 1 && failed.unavailable == 0 && failed.isReady)
        #expect(failed.validFor == nil)
        #expect(failed.failure?.code == .tokenUnavailable && failed.failure?.isPermanent == false)
        #expect((failed.failure?.retryAfter ?? .zero) > .zero)
    }

    /// health.readiness
    @Test func whoMustSignInHasNoToken() async throws {
        let coordinator = coordinator(
            ScriptedAcquirer { _, _ in throw NetworkError(.reauthenticationRequired, "sign in") })
        _ = await outcome { () async throws(NetworkError) in try await coordinator.token() }
        #expect(coordinator.health.first?.isReady == false)
        #expect(coordinator.health.first?.failure?.code == .reauthenticationRequired)
        coordinator.signIn(
            with: TokenGrant(accessToken: Secret("token"), expiresIn: .seconds(60)))
        #expect(coordinator.health.first?.isReady == true)
        coordinator.signOut()
        #expect(coordinator.health.first?.failure?.code == .signedOut)
        #expect(coordinator.health.first?.isReady == false)
    }

    @Test func aRefreshAndItsWaitersAreCounted() async throws {
        let gate = Gate()
        let coordinator = coordinator(
            ScriptedAcquirer { _, _ in
                await gate.pass()
                return TokenGrant(accessToken: Secret("token"), expiresIn: .seconds(60))
            })
        let calls = (0..<3).map { _ in Task { try await coordinator.token() } }
        await gate.waitForArrivals(1)
        await eventually { coordinator.health.first?.waiting == 3 }
        #expect(coordinator.health.first?.refreshing == 1 && coordinator.health.first?.usable == 0)
        gate.open()
        for call in calls { _ = try await call.value }
        #expect(coordinator.health.first?.refreshing == 0 && coordinator.health.first?.waiting == 0)
    }

    /// health.reads-only
    @Test func readingRequestsNothing() async throws {
        let acquirer = ScriptedAcquirer(expiresIn: .seconds(60))
        let coordinator = coordinator(acquirer)
        _ = coordinator.credentials(for: key, origins: [try Origin("https://api.example.com")])
        for _ in 0..<100 { _ = coordinator.health }
        #expect(acquirer.count == 0 && coordinator.keyCount == 1)
        #expect(coordinator.health.first?.isReady == true)
        _ = try await coordinator.token(for: key)
        // In the window in which a call would refresh the token in the background.
        clock.advance(by: .seconds(59))
        for _ in 0..<100 { _ = coordinator.health }
        #expect(acquirer.count == 1)
    }

    /// warm-up.tokens
    @Test func aWarmUpGetsTheTokensThatClientsHold() async throws {
        let acquirer = ScriptedAcquirer()
        let coordinator = coordinator(acquirer)
        let origin = try Origin("https://api.example.com")
        for scope in ["a", "b"] {
            _ = coordinator.credentials(for: TokenKey(scopes: [scope]), origins: [origin])
        }
        _ = coordinator.credentials(for: TokenKey(subject: "alice"), origins: [origin])
        _ = coordinator.identity(for: TokenKey(client: "other"))
        try await coordinator.warmUp(until: nil)
        #expect(Set(acquirer.requests.map(\.key.scopes)) == [["a"], ["b"]])
        try await coordinator.warmUp(until: nil)
        #expect(acquirer.count == 2)
    }
}
