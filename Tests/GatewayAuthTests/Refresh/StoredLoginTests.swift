import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayAuth

/// Signing in and out where processes share a store.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct StoredLoginTests {
    private let rig = StoredRig()

    @Test func aSignOutEmptiesTheStoreAndALateResultStaysOut() async throws {
        let gate = Gate()
        rig.server.hold(2, gate)
        let first = rig.start()
        let lease = try await first.token()
        let caller = Task { await outcome { () throws(NetworkError) in try await first.rejected(lease) } }
        await gate.waitForArrivals(1)
        first.signOut()
        #expect(await caller.value.code == .signedOut)
        try await first.waitUntilStored()
        gate.open()
        await eventually { rig.happened("grantDiscarded") == 1 }
        #expect(try await rig.shared.load(.default)?.content == .signedOut)
        // Neither a later process nor this one gets anything.
        #expect(await rig.code { () throws(NetworkError) in try await rig.start().token() } == .signedOut)
        #expect(await rig.code { () throws(NetworkError) in try await first.token() } == .signedOut)
        #expect(rig.server.count == 2)
    }

    /// A grant of the login before is stored late: the calls of the next login never have its account.
    @Test func aLateRecordIsNotTheAccountOfTheNextLogin() async throws {
        let (first, second) = (Gate(), Gate())
        let process = rig.start()
        rig.store.set { $0.storeGate = first }
        let caller = Task { await outcome { () throws(NetworkError) in try await process.token() } }
        await first.waitForArrivals(1)
        rig.store.set { $0.storeGate = second }
        process.signIn(with: TokenGrant(accessToken: Secret("bob"), expiresIn: .seconds(3600)))
        // It has an account when it is stored.
        #expect(process.identity().account == nil)
        #expect(await caller.value.code == .signedOut)
        await second.waitForArrivals(1)
        first.open()
        await eventually { rig.happened("grantDiscarded") == 1 }
        #expect(process.identity().account == nil)
        second.open()
        try await process.waitUntilStored()
        let bob = try #require(process.identity().account)
        let next = rig.start()
        #expect(try await next.token().accessToken == Secret("bob"))
        #expect(next.identity().account == bob)
    }

    @Test func aSignOutElsewhereDuringTheRequestIsHonoured() async throws {
        let gate = Gate()
        rig.server.hold(2, gate)
        let (first, second) = (rig.start(), rig.start())
        let lease = try await first.token()
        _ = try await second.token()
        let caller = Task { await outcome { () throws(NetworkError) in try await first.rejected(lease) } }
        await gate.waitForArrivals(1)
        second.signOut()
        try await second.waitUntilStored()
        gate.open()
        #expect(await caller.value.code == .signedOut)
        #expect(try await rig.shared.load(.default)?.content == .signedOut)
        #expect(first.identity() != lease.stamp.identity)
    }

    @Test func anotherLoginElsewhereIsAnotherIdentity() async throws {
        let (first, second) = (rig.start(), rig.start())
        let lease = try await first.token()
        second.signIn(with: TokenGrant(accessToken: Secret("bob"), expiresIn: .seconds(3600)))
        try await second.waitUntilStored()
        // Who was rejected as the first person never goes on as the second.
        #expect(await rig.code { () throws(NetworkError) in try await first.rejected(lease) } == .signedOut)
        let bob = try await first.token()
        #expect(rig.secret(bob) == "bob")
        #expect(bob.stamp.identity != lease.stamp.identity)
        #expect(rig.server.count == 1)
    }

    @Test func signingInAgainRightAfterASignOutLeavesTheSignIn() async throws {
        for round in 0..<20 {
            let process = rig.start(TroubledTokenStore(rig.shared))
            process.signOut()
            process.signIn(with: TokenGrant(accessToken: Secret("s\(round)"), expiresIn: .seconds(3600)))
            #expect(try await rig.secret(process.token()) == "s\(round)")
            try await process.waitUntilStored()
            #expect(try await rig.shared.load(.default)?.grant?.accessToken == Secret("s\(round)"))
        }
    }

    @Test func aSignInThatIsNotStoredYetIsNotUndoneByTheStore() async throws {
        let first = rig.start()
        _ = try await first.token()
        first.signOut()
        try await first.waitUntilStored()
        rig.store.set { $0.store = TroubledTokenStore.failure }
        first.signIn(with: TokenGrant(accessToken: Secret("new"), refreshToken: Secret("r1")))
        await eventually { rig.happened("storeFailed") == 1 }
        let lease = try await first.token()
        #expect(rig.secret(lease) == "new")
        #expect(try await rig.secret(first.rejected(lease)) == "a2")
        rig.store.set { $0.store = nil }
        #expect(try await rig.secret(first.rejected(first.token())) == "a3")
        #expect(try await rig.shared.load(.default)?.grant?.refreshToken == Secret("r3"))
        #expect(try await rig.secret(rig.start().token()) == "a3")
    }
}
