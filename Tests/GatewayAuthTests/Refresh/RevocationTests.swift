import GatewayAuth
import GatewayCore
import GatewayTesting
import TestTiers
import Testing

/// What is taken back at its issuer, and what is not.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct RevocationTests {
    /// An issuer that takes grants back, by the number of the request.
    private final class Issuer: TokenAcquirer {
        let gates: [Int: Gate]
        let requests = Locked(0)
        let revoked = Locked<[TokenGrant]>([])
        let failure: NetworkError?
        let isSingleUse: Bool
        let text: @Sendable (Int) -> String

        init(
            _ gates: [Int: Gate] = [:], failure: NetworkError? = nil, isSingleUse: Bool = true,
            text: @escaping @Sendable (Int) -> String = { "a\($0)" }
        ) {
            self.gates = gates
            self.failure = failure
            self.isSingleUse = isSingleUse
            self.text = text
        }

        func isSingleUse(after previous: TokenGrant?) -> Bool { isSingleUse }

        var tokens: [String] { revoked.withLock { $0.map(\.accessToken.exposed) } }

        func acquire(_ request: TokenRequest) async throws -> TokenGrant {
            let index = requests.withLock { count in
                count += 1
                return count
            }
            await gates[index]?.pass()
            return TokenGrant(
                accessToken: Secret(text(index)), expiresIn: .seconds(3600), refreshToken: Secret("r\(index)")
            )
        }

        func revoke(_ grant: TokenGrant, deadline: Deadline) async throws {
            revoked.withLock { $0.append(grant) }
            if let failure { throw failure }
        }
    }

    private let clock = ManualClock()

    @Test func aGrantThatComesAfterASignOutIsRevoked() async throws {
        let gate = Gate()
        let issuer = Issuer([1: gate])
        let coordinator = TokenRefreshCoordinator(acquirer: issuer, policy: .impatient, clock: clock)
        let caller = Task { await outcome { () throws(NetworkError) in try await coordinator.token() } }
        await gate.waitForArrivals(1)
        coordinator.signOut()
        #expect(await caller.value.code == .signedOut)
        gate.open()
        await eventually { issuer.tokens == ["a1"] }
        #expect(issuer.revoked.withLock { $0.first?.refreshToken } == Secret("r1"))
        // Nothing of it is used later.
        coordinator.signIn()
        #expect(try await coordinator.token().accessToken == Secret("a2"))
        #expect(issuer.tokens == ["a1"])
    }

    @Test func theStoreStaysEmptyAndTheGrantIsRevoked() async throws {
        let gate = Gate()
        let issuer = Issuer([1: gate])
        let store = MemoryTokenStore(clock: clock)
        let coordinator = TokenRefreshCoordinator(
            acquirer: issuer, store: store, policy: .impatient, clock: clock)
        let caller = Task { await outcome { () throws(NetworkError) in try await coordinator.token() } }
        await gate.waitForArrivals(1)
        coordinator.signOut()
        #expect(await caller.value.code == .signedOut)
        gate.open()
        await eventually { issuer.tokens == ["a1"] }
        try await coordinator.waitUntilStored()
        #expect(try await store.load(.default)?.content == .signedOut)
    }

    @Test func aGrantThatComesAfterASignOutElsewhereIsRevoked() async throws {
        let gate = Gate()
        let issuer = Issuer([2: gate])
        let store = MemoryTokenStore(clock: clock)
        let first = TokenRefreshCoordinator(acquirer: issuer, store: store, policy: .impatient, clock: clock)
        let second = TokenRefreshCoordinator(acquirer: issuer, store: store, policy: .impatient, clock: clock)
        let lease = try await first.token()
        _ = try await second.token()
        let caller = Task { await outcome { () throws(NetworkError) in try await first.rejected(lease) } }
        await gate.waitForArrivals(1)
        second.signOut()
        try await second.waitUntilStored()
        gate.open()
        #expect(await caller.value.code == .signedOut)
        await eventually { issuer.tokens == ["a2"] }
        #expect(try await store.load(.default)?.content == .signedOut)
    }

    @Test func aLateGrantOfTheSameLoginIsNotRevoked() async throws {
        let gate = Gate()
        let issuer = Issuer([1: gate], isSingleUse: false)
        let discarded = Locked(0)
        let coordinator = TokenRefreshCoordinator(acquirer: issuer, policy: .impatient, clock: clock) {
            event in
            if case .grantDiscarded = event.kind { discarded.withLock { $0 += 1 } }
        }
        let caller = Task { await outcome { () throws(NetworkError) in try await coordinator.token() } }
        await gate.waitForArrivals(1)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(30))
        #expect(await caller.value.code == .tokenUnavailable)
        clock.advance(by: .seconds(60))
        #expect(try await coordinator.token().accessToken == Secret("a2"))
        gate.open()
        await eventually { discarded.withLock { $0 } == 1 }
        // It may be of one family with the one that is in use, which alone is revoked with the logout.
        coordinator.signOut(revoking: true)
        await eventually { issuer.tokens.contains("a2") }
        for _ in 0..<1000 { await Task.yield() }
        #expect(issuer.tokens == ["a2"])
    }

    @Test func aTokenThatIsInUseIsNotRevoked() async throws {
        let gate = Gate()
        // An issuer that gives the same token to all.
        let issuer = Issuer([1: gate], isSingleUse: false) { _ in "same" }
        let discarded = Locked(0)
        let coordinator = TokenRefreshCoordinator(acquirer: issuer, policy: .impatient, clock: clock) {
            event in
            if case .grantDiscarded = event.kind { discarded.withLock { $0 += 1 } }
        }
        let caller = Task { await outcome { () throws(NetworkError) in try await coordinator.token() } }
        await gate.waitForArrivals(1)
        coordinator.signOut()
        coordinator.signIn()
        #expect(await caller.value.code == .signedOut)
        _ = try await coordinator.token()
        gate.open()
        await eventually { discarded.withLock { $0 } == 1 }
        for _ in 0..<1000 { await Task.yield() }
        #expect(issuer.tokens.isEmpty)
    }

    @Test func aSignOutRevokesWhatItForgetsWhereItIsAsked() async throws {
        let issuer = Issuer()
        let coordinator = TokenRefreshCoordinator(acquirer: issuer, policy: .impatient, clock: clock)
        _ = try await coordinator.token()
        coordinator.signOut()
        #expect(issuer.tokens.isEmpty)
        coordinator.signIn()
        _ = try await coordinator.token()
        coordinator.signOut(revoking: true)
        await eventually { issuer.tokens == ["a2"] }
    }

    @Test func aFailureToRevokeIsTold() async throws {
        let issuer = Issuer(failure: NetworkError(.connectionRefused, "down"))
        let failures = Locked<[NetworkError.Code]>([])
        let coordinator = TokenRefreshCoordinator(acquirer: issuer, policy: .impatient, clock: clock) {
            event in
            if case .revocationFailed(let cause) = event.kind { failures.withLock { $0.append(cause.code) } }
        }
        _ = try await coordinator.token()
        coordinator.signOut(revoking: true)
        await eventually { failures.withLock { $0 } == [.tokenUnavailable] }
        #expect(issuer.tokens == ["a1"])
    }
}
