import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayAuth

/// When a token is renewed, and how long it is used.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct RefreshWindowTests {
    private let clock = ManualClock()

    /// No jitter: the advisory window is taken whole.
    private struct NoChance: RandomSource {
        func next() -> UInt64 { 0 }
    }

    private func coordinator(
        _ acquirer: any TokenAcquirer, onEvent: (@Sendable (TokenEvent) -> Void)? = nil
    ) -> TokenRefreshCoordinator {
        TokenRefreshCoordinator(
            acquirer: acquirer, policy: .impatient, clock: clock, random: NoChance(), onEvent: onEvent)
    }

    @Test func aTokenIsRenewedInTheBackgroundBeforeItEnds() async throws {
        let gate = Gate()
        let acquirer = ScriptedAcquirer { _, index in
            if index == 1 { await gate.pass() }
            return TokenGrant(accessToken: Secret("token-\(index + 1)"), expiresIn: .seconds(3600))
        }
        let coordinator = coordinator(acquirer)
        #expect(try await coordinator.token().generation == 1)
        clock.advance(by: .seconds(3299))
        #expect(try await coordinator.token().generation == 1)
        #expect(acquirer.count == 1)
        clock.advance(by: .seconds(1))
        for _ in 0..<10 { #expect(try await coordinator.token().generation == 1) }
        await gate.waitForArrivals(1)
        gate.open()
        let slot = coordinator.slot(for: .default)
        await eventually { slot.state.withLock { $0.machine.generation } == 2 }
        #expect(try await coordinator.token().generation == 2)
        #expect(acquirer.count == 2)
    }

    @Test func aSourceKnowsWhetherACallWouldWait() async throws {
        let acquirer = ScriptedAcquirer { _, index in
            TokenGrant(accessToken: Secret("token-\(index + 1)"), expiresIn: .seconds(3600))
        }
        let coordinator = coordinator(acquirer)
        let source = coordinator.credentials(origins: []).pinned()
        #expect(!source.isReady(atLeast: 0))
        _ = try await coordinator.token()
        #expect(source.isReady(atLeast: 0) && source.isReady(atLeast: 1) && !source.isReady(atLeast: 2))
        clock.advance(by: .seconds(3299))
        #expect(source.isReady(atLeast: 0) && acquirer.count == 1)
        // In its window it is still good, and the next is asked for.
        clock.advance(by: .seconds(1))
        #expect(source.isReady(atLeast: 0))
        let slot = coordinator.slot(for: .default)
        await eventually { slot.state.withLock { $0.machine.generation } == 2 }
        #expect(source.isReady(atLeast: 2) && acquirer.count == 2)
        source.reject(2, renewing: false)
        #expect(!source.isReady(atLeast: 0))
        _ = try await coordinator.token()
        #expect(source.isReady(atLeast: 0))
        coordinator.signOut()
        #expect(!source.isReady(atLeast: 0))
    }

    /// Those who need not wait look at the token once, with the same answer and the same refresh.
    @Test func aStampIfReadySaysTheSame() async throws {
        let gate = Gate()
        let acquirer = ScriptedAcquirer { _, index in
            if index == 1 { await gate.pass() }
            return TokenGrant(accessToken: Secret("token-\(index + 1)"), expiresIn: .seconds(3600))
        }
        let coordinator = coordinator(acquirer)
        let origin = try Origin("https://api.example.com")
        let source = coordinator.credentials(origins: [origin]).pinned()
        func stamp(_ generation: UInt64 = 0) throws -> UInt64? {
            var request = HTTPRequest(method: .get, origin: origin, target: "/")
            return try source.stampIfReady(&request, atLeast: generation)?.generation
        }
        #expect(try stamp() == nil)
        _ = try await coordinator.token()
        #expect(try stamp() == 1)
        #expect(try stamp(2) == nil)
        clock.advance(by: .seconds(3300))
        #expect(try stamp() == 1)
        gate.open()
        let slot = coordinator.slot(for: .default)
        await eventually { slot.state.withLock { $0.machine.generation } == 2 }
        #expect(try stamp(2) == 2)
        #expect(acquirer.count == 2)
        source.reject(2, renewing: false)
        #expect(try stamp() == nil)
    }

    /// The greatest chance: half the advisory window is taken off.
    private struct AllChance: RandomSource {
        func next() -> UInt64 { .max }
    }

    @Test func manyThatBeganTogetherDoNotRenewTogether() async throws {
        var begins: [Int] = []
        let some = SeededRandomSource(seed: TestSeed.value(7))
        for random in [NoChance() as any RandomSource, AllChance(), some] {
            let clock = ManualClock()
            let acquirer = ScriptedAcquirer()
            let coordinator = TokenRefreshCoordinator(
                acquirer: acquirer, policy: .impatient, clock: clock, random: random)
            let slot = coordinator.slot(for: .default)
            _ = try await coordinator.token()
            var second = 0
            while second < 4000,
                slot.state.withLock({ $0.machine.flight == nil && $0.machine.generation == 1 })
            {
                clock.advance(by: .seconds(1))
                second += 1
                _ = try await coordinator.token()
            }
            begins.append(second)
        }
        #expect(begins[0] == 3300)
        #expect((3449...3451).contains(begins[1]))
        #expect((3301...3449).contains(begins[2]))
    }

    @Test func aTokenAtItsEndIsWaitedFor() async throws {
        let acquirer = ScriptedAcquirer()
        let coordinator = coordinator(acquirer)
        _ = try await coordinator.token()
        clock.advance(by: .seconds(3570))
        #expect(try await coordinator.token().generation == 2)
    }

    @Test(arguments: [3300, 3570, 3599])
    func aFailureNearTheEndFailsNobodyWhileTheTokenIsGood(second: Int) async throws {
        let acquirer = ScriptedAcquirer { _, index in
            if index > 0 { throw NetworkError(.connectionRefused, "down") }
            return TokenGrant(accessToken: Secret("token"), expiresIn: .seconds(3600))
        }
        let coordinator = coordinator(acquirer)
        _ = try await coordinator.token()
        clock.advance(by: .seconds(second))
        for _ in 0..<3 { #expect(try await coordinator.token().generation == 1) }
        // The refresh in the background has failed.
        let slot = coordinator.slot(for: .default)
        await eventually { slot.state.withLock { $0.machine.flight } == nil }
        clock.advance(by: .seconds(3600 - second))
        let result = await outcome { () throws(NetworkError) in try await coordinator.token() }
        #expect(result.code == .tokenUnavailable)
    }

    @Test func aPermanentFailureNearTheEndFailsNobodyWhileTheTokenIsGood() async throws {
        let acquirer = ScriptedAcquirer { _, index in
            if index > 0 { throw NetworkError(.reauthenticationRequired, "gone") }
            return TokenGrant(accessToken: Secret("token"), expiresIn: .seconds(3600))
        }
        let coordinator = coordinator(acquirer)
        _ = try await coordinator.token()
        clock.advance(by: .seconds(3580))
        for _ in 0..<3 { #expect(try await coordinator.token().generation == 1) }
        clock.advance(by: .seconds(20))
        let result = await outcome { () throws(NetworkError) in try await coordinator.token() }
        #expect(result.code == .reauthenticationRequired)
        #expect(acquirer.count == 2)
    }

    @Test func aLifetimeCountsFromTheRequest() async throws {
        let clock = clock
        let acquirer = ScriptedAcquirer { _, _ in
            clock.advance(by: .seconds(20))
            return TokenGrant(accessToken: Secret("token"), expiresIn: .seconds(60))
        }
        let lifetimes = Locked<[Duration]>([])
        let coordinator = coordinator(acquirer) { event in
            if case .refreshed(let lifetime, _) = event.kind { lifetimes.withLock { $0.append(lifetime) } }
        }
        _ = try await coordinator.token()
        #expect(lifetimes.withLock { $0 } == [.seconds(40)])
    }

    @Test(arguments: [Duration.zero, .seconds(-5), .milliseconds(999)])
    func aTokenThatComesExpiredIsAnErrorAndNoLoop(lifetime: Duration) async throws {
        let acquirer = ScriptedAcquirer(expiresIn: lifetime)
        let coordinator = coordinator(acquirer)
        for _ in 0..<10 {
            let result = await outcome { () throws(NetworkError) in try await coordinator.token() }
            #expect(result.code == .tokenExpiredOnArrival)
        }
        #expect(acquirer.count == 1)
    }

    @Test(arguments: [nil, Duration.seconds(1e15)])
    func noTokenLivesForEver(lifetime: Duration?) async throws {
        let acquirer = ScriptedAcquirer(expiresIn: lifetime)
        let coordinator = coordinator(acquirer)
        _ = try await coordinator.token()
        clock.advance(by: .seconds(86_400))
        #expect(try await coordinator.token().generation == 2)
    }

    @Test func waitsGrowAndHonourTheServer() {
        let policy = TokenRefreshPolicy.impatient
        #expect(policy.backoff(failures: 1, retryAfter: nil, chance: 1) == .milliseconds(500))
        #expect(policy.backoff(failures: 2, retryAfter: nil, chance: 1) == .seconds(1))
        #expect(policy.backoff(failures: 2, retryAfter: nil, chance: 0) == .milliseconds(500))
        #expect(policy.backoff(failures: 1000, retryAfter: nil, chance: 1) == .seconds(60))
        #expect(policy.backoff(failures: 1, retryAfter: .seconds(17), chance: 1) == .seconds(17))
        #expect(policy.backoff(failures: 1, retryAfter: .seconds(1 << 40), chance: 1) == .seconds(600))
    }

    @Test(arguments: ["", "a b", "a\r\nX: y", "a,b", "Bearer a", "ü", "a\u{0}", "a\u{7F}", "\u{FEFF}a"])
    func whatIsNoTokenReachesNoHeader(text: String) async throws {
        let coordinator = coordinator(
            ScriptedAcquirer { _, _ in TokenGrant(accessToken: Secret(text)) })
        let result = await outcome { () throws(NetworkError) in try await coordinator.token() }
        #expect(result.code == .tokenResponseMalformed)
        guard case .failure(let error) = result else { return }
        #expect(error.message.hasPrefix("The access token from the token acquirer "))
    }

    @Test func aRejectionDuringARefreshThatDoesNotKnowOfItIsNotLost() async throws {
        let gate = Gate()
        // The issuer gives the same token again unless it is told that it was rejected.
        let acquirer = ScriptedAcquirer { request, index in
            if index == 1 { await gate.pass() }
            return TokenGrant(
                accessToken: Secret(request.previousWasRejected ? "new" : "old"), expiresIn: .seconds(3600))
        }
        let coordinator = coordinator(acquirer)
        let lease = try await coordinator.token()
        clock.advance(by: .seconds(3300))
        _ = try await coordinator.token()
        await gate.waitForArrivals(1)
        let slot = coordinator.slot(for: .default)
        async let next = coordinator.rejected(lease)
        await eventually { slot.waiterCount == 1 }
        gate.open()
        #expect(try await next.accessToken == Secret("new"))
        #expect(acquirer.requests.map(\.previousWasRejected) == [false, false, true])
    }

    // MARK: Epochs

    @Test func aSignOutEndsWhatIsUnderWay() async throws {
        let gate = Gate()
        let acquirer = ScriptedAcquirer { _, index in
            if index == 0 { await gate.pass() }
            return TokenGrant(accessToken: Secret("token-\(index + 1)"), refreshToken: Secret("r"))
        }
        let discarded = Locked(0)
        let coordinator = coordinator(acquirer) { event in
            if case .grantDiscarded = event.kind { discarded.withLock { $0 += 1 } }
        }
        let caller = Task { await outcome { () throws(NetworkError) in try await coordinator.token() } }
        await gate.waitForArrivals(1)
        coordinator.signOut()
        #expect(await caller.value.code == .signedOut)
        gate.open()
        await eventually { discarded.withLock { $0 } == 1 }
        let slot = coordinator.slot(for: .default)
        #expect(slot.state.withLock { $0.machine.lastGrant } == nil)
        #expect(await outcome { () throws(NetworkError) in try await coordinator.token() }.code == .signedOut)
        coordinator.signIn(with: TokenGrant(accessToken: Secret("given"), refreshToken: Secret("s")))
        let lease = try await coordinator.token()
        #expect(lease.accessToken == Secret("given"))
        #expect(try await coordinator.rejected(lease).accessToken == Secret("token-2"))
        #expect(acquirer.requests.last?.previous?.refreshToken == Secret("s"))
    }

    @Test func aLeaseOfAnotherLoginRejectsNothing() async throws {
        let acquirer = ScriptedAcquirer()
        let coordinator = coordinator(acquirer)
        let old = try await coordinator.token()
        coordinator.signIn()
        _ = try await coordinator.token()
        let result = await outcome { () throws(NetworkError) in try await coordinator.rejected(old) }
        #expect(result.code == .signedOut)
        #expect(acquirer.count == 2)
    }

    // MARK: Keys

    @Test func keysAreBoundedAndTheOldestGoFirst() async throws {
        var policy = TokenRefreshPolicy.impatient
        policy.maximumKeys = 10
        let acquirer = ScriptedAcquirer { request, _ in
            TokenGrant(
                accessToken: Secret("t"),
                refreshToken: request.key.subject == "0" ? Secret("precious") : nil)
        }
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer, policy: policy, clock: clock)
        var epochs: Set<UInt64> = []
        for round in 0..<3 {
            for subject in 0..<30 {
                let lease = try await coordinator.token(for: TokenKey(subject: "\(subject)"))
                if subject != 0 || round == 0 { #expect(epochs.insert(lease.epoch).inserted) }
                #expect(coordinator.keyCount <= 10)
            }
        }
        // A refresh token goes last.
        #expect(acquirer.requests.count { $0.key.subject == "0" } == 1)
    }

    @Test func keysThatAreBusyStay() async throws {
        var policy = TokenRefreshPolicy.impatient
        policy.maximumKeys = 2
        let gate = Gate()
        let acquirer = ScriptedAcquirer { _, _ in
            await gate.pass()
            return TokenGrant(accessToken: Secret("t"))
        }
        let coordinator = TokenRefreshCoordinator(acquirer: acquirer, policy: policy, clock: clock)
        let callers = (0..<20).map { index in
            Task { try await coordinator.token(for: TokenKey(subject: "\(index % 5)")) }
        }
        await gate.waitForArrivals(5)
        gate.open()
        for caller in callers { _ = try await caller.value }
        #expect(acquirer.count == 5)
    }
}
