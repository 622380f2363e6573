import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayAuth

/// Refreshes of processes that share a store: each coordinator stands for a process.
@Suite(.timeLimit(.minutes(1))) struct StoredRefreshTests {
    private let clock = ManualClock()
    private let shared: MemoryTokenStore
    private let store: TroubledTokenStore
    private let server: RotatingServer
    private let events = Events()

    /// The kinds of all processes' events.
    private final class Events: Sendable {
        let kinds = Locked<[String]>([])
    }

    init() {
        shared = MemoryTokenStore(clock: clock)
        store = TroubledTokenStore(shared)
        server = RotatingServer()
    }

    private func start(_ store: (any TokenStore)? = nil, clock: ManualClock? = nil) -> TokenRefreshCoordinator
    {
        let events = events
        return TokenRefreshCoordinator(
            acquirer: server, store: store ?? self.store, clock: clock ?? self.clock,
            random: SeededRandomSource(seed: UInt64(events.kinds.withLock { $0.count }) + 3)
        ) { event in
            let kind = String("\(event.kind)".prefix { $0 != "(" })
            events.kinds.withLock { $0.append(kind) }
        }
    }

    private func happened(_ kind: String) -> Int { events.kinds.withLock { $0.count { $0 == kind } } }

    /// Returns when so many pauses between attempts to store have begun. Other sleeps are longer.
    private func pauses(_ count: Int) async {
        await eventually { clock.requestedDelays.count { $0 <= .seconds(10) } >= count }
    }

    private func secret(_ lease: TokenLease) -> String { lease.accessToken.exposed }

    private func code(_ body: () async throws(NetworkError) -> TokenLease) async -> NetworkError.Code? {
        await outcome(body).code
    }

    // MARK: One request

    @Test func aTokenIsStoredBeforeItIsGivenOut() async throws {
        let gate = Gate()
        store.set { $0.storeGate = gate }
        let process = start()
        let caller = Task { try await process.token() }
        await gate.waitForArrivals(1)
        #expect(server.count == 1)
        #expect(process.slot(for: .default).waiterCount == 1)
        #expect(process.slot(for: .default).state.withLock { $0.machine.token } == nil)
        gate.open()
        #expect(try await secret(caller.value) == "a1")
        await eventually { store.log.last == "release" }
        #expect(store.log == ["load", "lock", "load", "store 1", "release"])
        let grant = try await shared.load(.default)?.grant
        #expect(grant?.refreshToken == Secret("r1"))
        #expect(grant?.expiresAt == clock.unixTime + .seconds(3600))
    }

    @Test func aSecondProcessAsksNobody() async throws {
        #expect(try await secret(start().token()) == "a1")
        let second = start()
        let lease = try await second.token()
        #expect(secret(lease) == "a1")
        #expect(server.count == 1)
        #expect(happened("adopted") == 1)
    }

    @Test func manyProcessesAtOnceMakeOneRequest() async throws {
        let gate = Gate()
        server.hold(1, gate)
        let processes = (0..<20).map { _ in start() }
        let callers = processes.map { process in Task { try await process.token() } }
        await gate.waitForArrivals(1)
        await eventually { store.log.count { $0 == "lock" } == 20 }
        gate.open()
        for caller in callers { #expect(try await secret(caller.value) == "a1") }
        #expect(server.count == 1)
    }

    @Test func aRejectionThatAnotherProcessHasDealtWithIsNoRequest() async throws {
        let (first, second) = (start(), start())
        let (a, b) = (try await first.token(), try await second.token())
        #expect(try await secret(first.rejected(a)) == "a2")
        #expect(try await secret(second.rejected(b)) == "a2")
        #expect(server.used == ["r0", "r1"])
    }

    @Test func theRejectedTokenItselfIsNotAdopted() async throws {
        let first = start()
        let a = try await first.token()
        // Another process has written the same access token again.
        guard let record = try await shared.load(.default) else { return }
        let copy = StoredToken(key: .default, generation: 9, login: record.login, content: record.content)
        #expect(try await shared.store(copy, for: .default, replacing: record.generation))
        #expect(try await secret(first.rejected(a)) == "a2")
    }

    @Test func aStoredTokenNearItsEndIsRenewedAndNotAdopted() async throws {
        _ = try await start().token()
        clock.advance(by: .seconds(3580))
        #expect(try await secret(start().token()) == "a2")
        #expect(server.used == ["r0", "r1"])
    }

    @Test(arguments: [-3600, 3600]) func clocksAnHourApartCauseNoLoop(skew: Int) async throws {
        let other = ManualClock(unixTime: clock.unixTime + .seconds(skew))
        _ = try await start().token()
        let second = start(clock: other)
        let before = server.count
        for _ in 0..<20 { _ = try await second.token() }
        #expect(server.count - before <= 1)
        // A clock that is behind makes no token live longer than it was granted.
        other.advance(by: .seconds(3600))
        _ = try await second.token()
        #expect(server.count - before >= 1)
    }

    @Test func noRefreshTokenInTheAnswerKeepsTheOldOne() async throws {
        server.keepRefreshTokens()
        let process = start()
        process.signIn(with: TokenGrant(accessToken: Secret("a0"), refreshToken: Secret("r0")))
        _ = try await process.rejected(process.token())
        #expect(try await shared.load(.default)?.grant?.refreshToken == Secret("r0"))
        _ = try await process.rejected(process.token())
        #expect(server.used == ["r0", "r0"])
        // And without a store.
        let alone = TokenRefreshCoordinator(acquirer: server, clock: clock)
        alone.signIn(with: TokenGrant(accessToken: Secret("a0"), refreshToken: Secret("r0")))
        for _ in 0..<3 { _ = try await alone.rejected(alone.token()) }
        #expect(server.used.allSatisfy { $0 == "r0" })
    }

    // MARK: Trouble

    @Test func aStoreThatCannotBeReadIsATransientFailureAndNoRequest() async throws {
        for trouble in 0..<2 {
            store.set { $0.load = trouble == 0 ? TroubledTokenStore.failure : nil }
            store.set { $0.lock = trouble == 1 ? TroubledTokenStore.failure : nil }
            #expect(await code { () throws(NetworkError) in try await start().token() } == .tokenStoreFailed)
        }
        #expect(server.count == 0)
        let process = start()
        store.set { $0.load = TroubledTokenStore.failure }
        #expect(await code { () throws(NetworkError) in try await process.token() } == .tokenStoreFailed)
        store.set { trouble in
            trouble.load = nil
            trouble.lock = nil
        }
        clock.advance(by: .seconds(1))
        #expect(try await secret(process.token()) == "a1")
    }

    @Test func whatCannotBeStoredIsGivenOutAndStoredLater() async throws {
        store.set { $0.store = TroubledTokenStore.failure }
        let first = start()
        #expect(try await secret(first.token()) == "a1")
        #expect(try await shared.load(.default) == nil)
        await eventually { happened("storeFailed") == 1 }
        // The key stays locked: the refresh token that others could read is spent.
        let second = start()
        let waiting = Task { try await second.token() }
        await eventually { store.log.count { $0 == "lock" } == 2 }
        for attempt in 2...4 {
            await pauses(attempt - 1)
            clock.advance(by: .seconds(4))
            await eventually { happened("storeFailed") == attempt }
        }
        await pauses(4)
        store.set { $0.store = nil }
        clock.advance(by: .seconds(8))
        await eventually { happened("storeRecovered") == 1 }
        try await first.waitUntilStored()
        #expect(try await secret(waiting.value) == "a1")
        #expect(server.count == 1)
        #expect(try await shared.load(.default)?.grant?.refreshToken == Secret("r1"))
    }

    @Test func aRefreshUsesTheNewRefreshTokenThoughItIsNotStored() async throws {
        let first = start()
        _ = try await first.token()
        store.set { $0.store = TroubledTokenStore.failure }
        #expect(try await secret(first.rejected(first.token())) == "a2")
        #expect(try await secret(first.rejected(first.token())) == "a3")
        #expect(server.used == ["r0", "r1", "r2"])
        store.set { $0.store = nil }
        #expect(try await secret(first.rejected(first.token())) == "a4")
        #expect(try await shared.load(.default)?.grant?.refreshToken == Secret("r4"))
        try await first.waitUntilStored()
        await eventually { store.log.last == "release" }
        let next = try await shared.lock(.default, deadline: .after(.seconds(1), clock: clock))
        await next.release()
    }

    @Test func aWriteWhoseAnswerWasLostIsRecognised() async throws {
        store.set { trouble in
            trouble.store = TroubledTokenStore.failure
            trouble.losesAnswers = true
        }
        let first = start()
        #expect(try await secret(first.token()) == "a1")
        await eventually { happened("storeFailed") == 1 }
        store.set { $0.store = nil }
        await pauses(1)
        clock.advance(by: .seconds(1))
        await eventually { happened("storeRecovered") == 1 }
        #expect(try await shared.load(.default)?.generation == 1)
        #expect(try await secret(start().token()) == "a1")
    }

    @Test func aLockThatWasLostStopsTheRequest() async throws {
        store.set { $0.losesLocks = true }
        #expect(await code { () throws(NetworkError) in try await start().token() } == .tokenStoreFailed)
        #expect(server.count == 0)
    }

    @Test func aLateWriterAdoptsWhatOvertookHim() async throws {
        let gate = Gate()
        server.hold(1, gate)
        let late = start()
        let caller = Task { try await late.token() }
        await gate.waitForArrivals(1)
        // Somebody writes without regard to the lock.
        let record = StoredToken(
            key: .default, generation: 1, login: 5,
            content: .granted(
                .init(
                    accessToken: Secret("theirs"), refreshToken: Secret("x"), issuedAt: clock.unixTime,
                    expiresAt: clock.unixTime + .seconds(3600))))
        #expect(try await shared.store(record, for: .default, replacing: 0))
        gate.open()
        #expect(try await secret(caller.value) == "theirs")
        #expect(try await shared.load(.default) == record)
        #expect(happened("grantDiscarded") == 1)
    }

    @Test func aSpentRefreshTokenIsNoEndWhereTheStoreHoldsTheNext() async throws {
        let gate = Gate()
        server.hold(2, gate)
        let first = start()
        _ = try await first.token()
        let lease = try await first.token()
        let caller = Task { try await first.rejected(lease) }
        await gate.waitForArrivals(1)
        // Another process spent r1 and stored its successor.
        let other = try await server.acquire(
            TokenRequest(
                key: .default, previous: TokenGrant(accessToken: Secret("a1"), refreshToken: Secret("r1")),
                previousWasRejected: true, deadline: .after(.seconds(1), clock: clock)))
        guard let record = try await shared.load(.default) else { return }
        let newer = StoredToken(
            key: .default, generation: record.generation + 1, login: record.login,
            content: .granted(.init(other, sent: clock.unixTime)))
        #expect(try await shared.store(newer, for: .default, replacing: record.generation))
        gate.open()
        #expect(try await secret(caller.value) == "a3")
        #expect(server.count == 3)
    }

    @Test func aPermanentFailureLastsUntilTheStoreHoldsSomethingNewer() async throws {
        let (first, second) = (start(), start())
        _ = try await first.token()
        let lease = try await second.token()
        server.revoke()
        #expect(
            await code { () throws(NetworkError) in try await second.rejected(lease) }
                == .reauthenticationRequired)
        let asked = server.count
        for _ in 0..<5 {
            clock.advance(by: .seconds(90))
            let code = await code { () throws(NetworkError) in try await second.rejected(lease) }
            #expect(code == .reauthenticationRequired)
        }
        #expect(server.count == asked)
        // Somebody signs in again in the first.
        first.signIn(with: TokenGrant(accessToken: Secret("new"), refreshToken: Secret("revoked")))
        try await first.waitUntilStored()
        clock.advance(by: .seconds(90))
        _ = await code { () throws(NetworkError) in try await second.token() }
        #expect(try await secret(second.token()) == "new")
        #expect(server.count == asked)
    }

    // MARK: Signing in and out

    @Test func aSignOutEmptiesTheStoreAndALateResultStaysOut() async throws {
        let gate = Gate()
        server.hold(2, gate)
        let first = start()
        let lease = try await first.token()
        let caller = Task { await outcome { () throws(NetworkError) in try await first.rejected(lease) } }
        await gate.waitForArrivals(1)
        first.signOut()
        #expect(await caller.value.code == .signedOut)
        try await first.waitUntilStored()
        gate.open()
        await eventually { happened("grantDiscarded") == 1 }
        #expect(try await shared.load(.default)?.content == .signedOut)
        // Neither a later process nor this one gets anything.
        #expect(await code { () throws(NetworkError) in try await start().token() } == .signedOut)
        #expect(await code { () throws(NetworkError) in try await first.token() } == .signedOut)
        #expect(server.count == 2)
    }

    @Test func aSignOutElsewhereDuringTheRequestIsHonoured() async throws {
        let gate = Gate()
        server.hold(2, gate)
        let (first, second) = (start(), start())
        let lease = try await first.token()
        _ = try await second.token()
        let caller = Task { await outcome { () throws(NetworkError) in try await first.rejected(lease) } }
        await gate.waitForArrivals(1)
        second.signOut()
        try await second.waitUntilStored()
        gate.open()
        #expect(await caller.value.code == .signedOut)
        #expect(try await shared.load(.default)?.content == .signedOut)
        #expect(first.identity() != lease.stamp.identity)
    }

    @Test func anotherLoginElsewhereIsAnotherIdentity() async throws {
        let (first, second) = (start(), start())
        let lease = try await first.token()
        second.signIn(with: TokenGrant(accessToken: Secret("bob"), expiresIn: .seconds(3600)))
        try await second.waitUntilStored()
        // Who was rejected as the first person never goes on as the second.
        #expect(await code { () throws(NetworkError) in try await first.rejected(lease) } == .signedOut)
        let bob = try await first.token()
        #expect(secret(bob) == "bob")
        #expect(bob.stamp.identity != lease.stamp.identity)
        #expect(server.count == 1)
    }

    @Test func signingInAgainRightAfterASignOutLeavesTheSignIn() async throws {
        for round in 0..<20 {
            let process = start(TroubledTokenStore(shared))
            process.signOut()
            process.signIn(with: TokenGrant(accessToken: Secret("s\(round)"), expiresIn: .seconds(3600)))
            #expect(try await secret(process.token()) == "s\(round)")
            try await process.waitUntilStored()
            #expect(try await shared.load(.default)?.grant?.accessToken == Secret("s\(round)"))
        }
    }

    @Test func aSignInThatIsNotStoredYetIsNotUndoneByTheStore() async throws {
        let first = start()
        _ = try await first.token()
        first.signOut()
        try await first.waitUntilStored()
        store.set { $0.store = TroubledTokenStore.failure }
        first.signIn(with: TokenGrant(accessToken: Secret("new"), refreshToken: Secret("r1")))
        await #expect(throws: NetworkError.self) { try await first.waitUntilStored() }
        let lease = try await first.token()
        #expect(secret(lease) == "new")
        #expect(try await secret(first.rejected(lease)) == "a2")
        store.set { $0.store = nil }
        #expect(try await secret(first.rejected(first.token())) == "a3")
        #expect(try await shared.load(.default)?.grant?.refreshToken == Secret("r3"))
        #expect(try await secret(start().token()) == "a3")
    }

    @Test func aFlightThatIsGivenUpLetsTheLockGo() async throws {
        let gate = Gate()
        server.hold(1, gate)
        let first = start()
        let caller = Task { await outcome { () throws(NetworkError) in try await first.token() } }
        await gate.waitForArrivals(1)
        clock.advance(by: .seconds(31))
        #expect(await caller.value.code == .tokenUnavailable)
        await eventually { store.log.last == "release" }
        // The grant that comes after all is stored and used.
        gate.open()
        await eventually { happened("refreshed") == 1 }
        #expect(try await secret(first.token()) == "a1")
        #expect(try await shared.load(.default)?.grant?.refreshToken == Secret("r1"))
    }
}
