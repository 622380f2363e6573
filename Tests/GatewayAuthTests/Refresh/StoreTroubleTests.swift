import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayAuth

/// Stores that fail, and processes that overtake one another.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct StoreTroubleTests {
    private let rig = StoredRig()

    @Test func aStoreThatCannotBeReadIsATransientFailureAndNoRequest() async throws {
        for trouble in 0..<2 {
            rig.store.set { $0.load = trouble == 0 ? TroubledTokenStore.failure : nil }
            rig.store.set { $0.lock = trouble == 1 ? TroubledTokenStore.failure : nil }
            #expect(
                await rig.code { () throws(NetworkError) in try await rig.start().token() }
                    == .tokenStoreFailed)
        }
        #expect(rig.server.count == 0)
        let process = rig.start()
        rig.store.set { $0.load = TroubledTokenStore.failure }
        #expect(await rig.code { () throws(NetworkError) in try await process.token() } == .tokenStoreFailed)
        rig.store.set { trouble in
            trouble.load = nil
            trouble.lock = nil
        }
        rig.clock.advance(by: .seconds(1))
        #expect(try await rig.secret(process.token()) == "a1")
    }

    @Test func whatCannotBeStoredIsGivenOutAndStoredLater() async throws {
        rig.store.set { $0.store = TroubledTokenStore.failure }
        let first = rig.start()
        #expect(try await rig.secret(first.token()) == "a1")
        #expect(try await rig.shared.load(.default) == nil)
        await eventually { rig.happened("storeFailed") == 1 }
        // The key stays locked: the refresh token that others could read is spent.
        let second = rig.start()
        let waiting = Task { try await second.token() }
        await eventually { rig.store.log.count { $0 == "lock" } == 2 }
        for attempt in 2...4 {
            await rig.pauses(attempt - 1)
            rig.clock.advance(by: .seconds(4))
            await eventually { rig.happened("storeFailed") == attempt }
        }
        await rig.pauses(4)
        rig.store.set { $0.store = nil }
        rig.clock.advance(by: .seconds(8))
        await eventually { rig.happened("storeRecovered") == 1 }
        try await first.waitUntilStored()
        #expect(try await rig.secret(waiting.value) == "a1")
        #expect(rig.server.count == 1)
        #expect(try await rig.shared.load(.default)?.grant?.refreshToken == Secret("r1"))
    }

    /// One that refuses for ever is asked again after pauses, and the grant is not lost.
    @Test func aStoreThatRefusesIsAskedAgainAfterAPause() async throws {
        rig.store.set { $0.refuses = true }
        let process = rig.start()
        #expect(try await rig.secret(process.token()) == "a1")
        await eventually { rig.happened("storeFailed") == 1 }
        await rig.pauses(1)
        #expect(rig.store.log.count { $0.hasPrefix("store") } < 5)
        rig.store.set { $0.refuses = false }
        rig.clock.advance(by: .seconds(4))
        await eventually { rig.happened("storeRecovered") == 1 }
        #expect(try await rig.shared.load(.default)?.grant?.refreshToken == Secret("r1"))

        rig.store.set { $0.refuses = true }
        process.signIn(with: TokenGrant(accessToken: Secret("b1"), refreshToken: Secret("s1")))
        await eventually { rig.happened("storeFailed") == 2 }
        #expect(rig.store.log.count { $0.hasPrefix("store") } < 10)
    }

    @Test func aRefreshUsesTheNewRefreshTokenThoughItIsNotStored() async throws {
        let first = rig.start()
        _ = try await first.token()
        rig.store.set { $0.store = TroubledTokenStore.failure }
        #expect(try await rig.secret(first.rejected(first.token())) == "a2")
        #expect(try await rig.secret(first.rejected(first.token())) == "a3")
        #expect(rig.server.used == ["r0", "r1", "r2"])
        rig.store.set { $0.store = nil }
        #expect(try await rig.secret(first.rejected(first.token())) == "a4")
        #expect(try await rig.shared.load(.default)?.grant?.refreshToken == Secret("r4"))
        try await first.waitUntilStored()
        await eventually { rig.store.log.last == "release" }
        let next = try await rig.shared.lock(.default, deadline: .after(.seconds(1), clock: rig.clock))
        await next.release()
    }

    /// What could not be stored is stored while the next refresh is under way: that is no other process.
    @Test func aGrantThatIsStoredLateDoesNotReplaceTheNextOne() async throws {
        let first = rig.start()
        _ = try await first.token()
        rig.store.set { $0.store = TroubledTokenStore.failure }
        #expect(try await rig.secret(first.rejected(first.token())) == "a2")
        await eventually { rig.happened("storeFailed") == 1 }
        let gate = Gate()
        rig.server.hold(3, gate)
        let lease = try await first.token()
        let waiting = Task { try await first.rejected(lease) }
        await gate.waitForArrivals(1)
        rig.store.set { $0.store = nil }
        await rig.pauses(1)
        rig.clock.advance(by: .seconds(4))
        await eventually { rig.happened("storeRecovered") == 1 }
        #expect(try await rig.shared.load(.default)?.grant?.refreshToken == Secret("r2"))
        gate.open()
        #expect(try await rig.secret(waiting.value) == "a3")
        #expect(try await rig.shared.load(.default)?.grant?.refreshToken == Secret("r3"))
        #expect(rig.server.used == ["r0", "r1", "r2"])
    }

    @Test func aWriteWhoseAnswerWasLostIsRecognised() async throws {
        rig.store.set { trouble in
            trouble.store = TroubledTokenStore.failure
            trouble.losesAnswers = true
        }
        let first = rig.start()
        #expect(try await rig.secret(first.token()) == "a1")
        await eventually { rig.happened("storeFailed") == 1 }
        rig.store.set { $0.store = nil }
        await rig.pauses(1)
        rig.clock.advance(by: .seconds(1))
        await eventually { rig.happened("storeRecovered") == 1 }
        #expect(try await rig.shared.load(.default)?.generation == 1)
        #expect(try await rig.secret(rig.start().token()) == "a1")
    }

    @Test func aLockThatWasLostStopsTheRequest() async throws {
        rig.store.set { $0.losesLocks = true }
        #expect(
            await rig.code { () throws(NetworkError) in try await rig.start().token() } == .tokenStoreFailed)
        #expect(rig.server.count == 0)
    }

    @Test func aLateWriterAdoptsWhatOvertookHim() async throws {
        let gate = Gate()
        rig.server.hold(1, gate)
        let late = rig.start()
        let caller = Task { try await late.token() }
        await gate.waitForArrivals(1)
        // Somebody writes without regard to the lock.
        let record = StoredToken(
            key: .default, generation: 1, login: 5,
            content: .granted(
                .init(
                    accessToken: Secret("theirs"), refreshToken: Secret("x"), issuedAt: rig.clock.unixTime,
                    expiresAt: rig.clock.unixTime + .seconds(3600))))
        #expect(try await rig.shared.store(record, for: .default, replacing: 0))
        gate.open()
        #expect(try await rig.secret(caller.value) == "theirs")
        #expect(try await rig.shared.load(.default) == record)
        #expect(rig.happened("grantDiscarded") == 1)
    }

    @Test func aSpentRefreshTokenIsNoEndWhereTheStoreHoldsTheNext() async throws {
        let gate = Gate()
        rig.server.hold(2, gate)
        let first = rig.start()
        _ = try await first.token()
        let lease = try await first.token()
        let caller = Task { try await first.rejected(lease) }
        await gate.waitForArrivals(1)
        // Another process spent r1 and stored its successor.
        let other = try await rig.server.acquire(
            TokenRequest(
                key: .default, previous: TokenGrant(accessToken: Secret("a1"), refreshToken: Secret("r1")),
                previousWasRejected: true, deadline: .after(.seconds(1), clock: rig.clock)))
        guard let record = try await rig.shared.load(.default) else { return }
        let newer = StoredToken(
            key: .default, generation: record.generation + 1, login: record.login,
            content: .granted(.init(other, sent: rig.clock.unixTime)))
        #expect(try await rig.shared.store(newer, for: .default, replacing: record.generation))
        gate.open()
        #expect(try await rig.secret(caller.value) == "a3")
        #expect(rig.server.count == 3)
    }

    @Test func aPermanentFailureLastsUntilTheStoreHoldsSomethingNewer() async throws {
        let (first, second) = (rig.start(), rig.start())
        _ = try await first.token()
        let lease = try await second.token()
        rig.server.revoke()
        #expect(
            await rig.code { () throws(NetworkError) in try await second.rejected(lease) }
                == .reauthenticationRequired)
        let asked = rig.server.count
        for _ in 0..<5 {
            rig.clock.advance(by: .seconds(90))
            let code = await rig.code { () throws(NetworkError) in try await second.rejected(lease) }
            #expect(code == .reauthenticationRequired)
        }
        #expect(rig.server.count == asked)
        // Somebody signs in again in the first.
        first.signIn(with: TokenGrant(accessToken: Secret("new"), refreshToken: Secret("revoked")))
        try await first.waitUntilStored()
        rig.clock.advance(by: .seconds(90))
        _ = await rig.code { () throws(NetworkError) in try await second.token() }
        #expect(try await rig.secret(second.token()) == "new")
        #expect(rig.server.count == asked)
    }

    @Test func aFlightThatIsGivenUpLetsTheLockGo() async throws {
        let gate = Gate()
        rig.server.repeatsRequests()
        rig.server.hold(1, gate)
        let first = rig.start()
        let caller = Task { await outcome { () throws(NetworkError) in try await first.token() } }
        await gate.waitForArrivals(1)
        rig.clock.advance(by: .seconds(31))
        #expect(await caller.value.code == .tokenUnavailable)
        await eventually { rig.store.log.last == "release" }
        // The grant that comes after all is stored and used.
        gate.open()
        await eventually { rig.happened("refreshed") == 1 }
        #expect(try await rig.secret(first.token()) == "a1")
        #expect(try await rig.shared.load(.default)?.grant?.refreshToken == Secret("r1"))
    }
}
