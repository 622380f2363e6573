import GatewayCore
import GatewayTesting
import TestTiers
import Testing

@testable import GatewayAuth

/// Accounts of logins: durable in a store or by a name, and none otherwise.
@Suite(.timeLimit(.minutes(1)), .tags(.concurrent)) struct AccountTests {
    private let directory = TemporaryDirectory()
    private let rig = StoredRig()

    /// A process of its own over the store that all share.
    private func start() -> TokenRefreshCoordinator { rig.start(FileTokenStore(directory: directory.path)) }

    private func grant(_ token: String) -> TokenGrant {
        TokenGrant(accessToken: Secret(token), expiresIn: .seconds(3600))
    }

    // MARK: Durable

    @Test func aLaterProcessHasTheSameAccount() async throws {
        let first = start()
        // The store was not read yet.
        #expect(first.identity().account == nil)
        let lease = try await first.token()
        let account = try #require(lease.stamp.identity.account)
        #expect(first.identity().account == account)
        let second = start()
        #expect(try await second.token().stamp.identity.account == account)
        #expect(second.identity().account == account)
        // A refresh is no login.
        #expect(try await first.rejected(lease).stamp.identity.account == account)
    }

    @Test func theStoreTellsTheAccountBeforeTheFirstToken() async throws {
        let account = try #require(try await start().token().stamp.identity.account)
        let second = start()
        let source = second.credentials(origins: [try Origin("https://api.test")]).pinned()
        #expect(source.identity.account == nil)
        #expect(await source.identified().account == account)
        #expect(source.identity.account == account)
        // Nothing was refreshed for it, and the login is the same when it is.
        #expect(rig.server.count == 1)
        #expect(try await second.token().stamp.identity == source.identity)
    }

    @Test func nobodyIsIdentifiedAfterASignOutElsewhere() async throws {
        let first = start()
        _ = try await first.token()
        first.signOut()
        try await first.waitUntilStored()
        let source = start().credentials(origins: [try Origin("https://api.test")]).pinned()
        #expect(await source.identified().account == nil)
    }

    @Test func aSignOutBeforeTheFirstTokenNamesTheAccountInTheStore() async throws {
        let account = try #require(try await start().token().stamp.identity.account)
        let ended = Locked<[CredentialIdentity]>([])
        let process = TokenRefreshCoordinator(
            acquirer: rig.server, store: FileTokenStore(directory: directory.path),
            onEvent: { event in
                if case .signedOut = event.kind { ended.withLock { $0.append(event.credential) } }
            })
        let identity = process.identity()
        process.signOut()
        try await process.waitUntilStored()
        // Once when it was signed out, and once when the store has told whose login it was.
        #expect(ended.withLock { $0.map(\.account) } == [nil, account])
        #expect(ended.withLock { $0 } == [identity, identity])
        // A process that knows the account tells it once.
        process.signIn(with: grant("bob"))
        try await process.waitUntilStored()
        let bob = try #require(process.identity().account)
        process.signOut()
        try await process.waitUntilStored()
        #expect(ended.withLock { $0.map(\.account) } == [nil, account, bob])
    }

    /// The sign-in replaces what is not stored yet of the sign-out.
    @Test func aSignInRightAfterASignOutEndsTheLoginInTheStoreToo() async throws {
        let account = try #require(try await start().token().stamp.identity.account)
        let ended = Locked<[String?]>([])
        let process = TokenRefreshCoordinator(
            acquirer: rig.server, store: FileTokenStore(directory: directory.path),
            onEvent: { event in
                if case .signedOut = event.kind { ended.withLock { $0.append(event.credential.account) } }
            })
        process.signOut()
        process.signIn(with: grant("bob"))
        try await process.waitUntilStored()
        #expect(ended.withLock { $0 } == [nil, account])
    }

    /// A sign-in in place of a login tells of its end once, whether this process knows the login or only the store does.
    @Test(arguments: [true, false]) func aSignInEndsTheLoginBeforeIt(isKnown: Bool) async throws {
        let account = try #require(try await start().token().stamp.identity.account)
        let ended = Locked<[String?]>([])
        let process = TokenRefreshCoordinator(
            acquirer: rig.server, store: FileTokenStore(directory: directory.path),
            onEvent: { event in
                if case .signedOut = event.kind { ended.withLock { $0.append(event.credential.account) } }
            })
        if isKnown {
            // A refresh ends nothing.
            _ = try await process.rejected(try await process.token())
            #expect(ended.withLock { $0.isEmpty })
        }
        process.signIn(with: grant("bob"))
        try await process.waitUntilStored()
        #expect(ended.withLock { $0 } == [account])
        let bob = process.identity().account
        process.signIn(with: grant("carol"))
        try await process.waitUntilStored()
        #expect(ended.withLock { $0 } == [account, bob])
    }

    @Test func anotherLoginInTheSameStoreIsAnotherAccount() async throws {
        var accounts: [String] = []
        for person in ["alice", "bob", "alice"] {
            let process = start()
            process.signIn(with: grant(person))
            try await process.waitUntilStored()
            let account = try #require(process.identity().account)
            #expect(try await start().token().stamp.identity.account == account)
            accounts.append(account)
            process.signOut()
            #expect(process.identity().account == nil)
            try await process.waitUntilStored()
            #expect(start().identity().account == nil)
        }
        #expect(Set(accounts).count == 3)
    }

    /// Logins of two coordinators of a process are told apart, for the same key too.
    @Test func twoCoordinatorsNeverShareAnIdentity() async throws {
        let first = start()
        first.signIn(with: grant("alice"))
        try await first.waitUntilStored()
        let alice = first.identity()
        let second = start()
        second.signIn(with: grant("bob"))
        try await second.waitUntilStored()
        #expect(first.identity() == alice)
        #expect(second.identity() != alice)
        #expect(second.identity().account != alice.account)
    }

    @Test func aLoginElsewhereIsAnotherAccountHere() async throws {
        let (first, second) = (start(), start())
        let lease = try await first.token()
        second.signIn(with: grant("bob"))
        try await second.waitUntilStored()
        #expect(await rig.code { () throws(NetworkError) in try await first.rejected(lease) } == .signedOut)
        let bob = try await first.token()
        #expect(bob.stamp.identity.account == second.identity().account)
        #expect(bob.stamp.identity.account != lease.stamp.identity.account)
    }

    @Test func keysHaveAccountsOfTheirOwnThatTellNobodyWhoseTheyAre() async throws {
        let process = TokenRefreshCoordinator(
            acquirer: ScriptedAcquirer(), store: FileTokenStore(directory: directory.path))
        let (alice, bob) = (TokenKey(subject: "alice"), TokenKey(subject: "bob"))
        let accounts = [
            try await process.token(for: alice).stamp.identity.account,
            try await process.token(for: bob).stamp.identity.account,
        ]
        #expect(Set(accounts).count == 2)
        for account in accounts.compactMap(\.self) {
            #expect(!account.contains("alice") && !account.contains("bob"))
            #expect(account.utf8.count == 50 && CredentialIdentity.isLogin(account))
        }
    }

    @Test func aStampHasTheAccount() async throws {
        let process = start()
        let origin = try Origin("https://api.test")
        let source = process.credentials(origins: [origin]).pinned()
        try await source.ready(atLeast: 0, deadline: nil)
        var request = try HTTPRequest(.get, "https://api.test/")
        let stamp = try #require(try source.stamp(&request, atLeast: 0))
        #expect(stamp.identity.account == process.identity().account)
        #expect(source.identity.account == process.identity().account)
        #expect(stamp.identity.account != nil)
        // A call goes on under its own login, and never under the account of the next one.
        process.signIn(with: grant("bob"))
        #expect(source.identity.account == nil)
    }

    @Test func tokensOfFurtherScopesBelongToTheSameAccount() async throws {
        let acquirer = ScriptedAcquirer.grantingAll()
        let rig = try StepUpRig(GuardedAPI(), acquirer, store: FileTokenStore(directory: directory.path))
        let first = try await rig.send("/read").exchange.stamp?.identity
        let wider = try await rig.send("/write").exchange.stamp?.identity
        #expect(first != wider)
        #expect(first?.account != nil)
        #expect(wider?.account == first?.account)
    }

    // MARK: Named

    @Test func aNameCountsUntilTheLoginEnds() async throws {
        let acquirer = ScriptedAcquirer { _, _ in self.grant("a") }
        let ended = Locked<[String?]>([])
        let coordinator = TokenRefreshCoordinator(
            acquirer: acquirer,
            onEvent: { event in
                if case .signedOut = event.kind { ended.withLock { $0.append(event.credential.account) } }
            },
            account: { "name of \($0.subject ?? "nobody")" })
        let key = TokenKey(subject: "alice")
        #expect(coordinator.identity(for: key).account == "name of alice")
        #expect(try await coordinator.token(for: key).stamp.identity.account == "name of alice")
        coordinator.signOut(key)
        #expect(coordinator.identity(for: key).account == nil)
        coordinator.signIn(key, with: grant("b"))
        #expect(coordinator.identity(for: key).account == nil)
        coordinator.signIn(key, with: grant("c"), account: "carol")
        #expect(try await coordinator.token(for: key).stamp.identity.account == "carol")
        let count = ended.withLock { $0.count }
        // The same person goes on.
        coordinator.signIn(key, with: grant("d"), account: "carol")
        #expect(ended.withLock { $0.count } == count)
        coordinator.signIn(key, with: grant("e"), account: "dave")
        #expect(ended.withLock { $0.last } == "carol")
        #expect(coordinator.identity().account == "name of nobody")
    }

    /// Somebody else may have signed in there since the name was chosen.
    @Test func aDurableStoreComesBeforeAName() async throws {
        let coordinator = TokenRefreshCoordinator(
            acquirer: ScriptedAcquirer { _, _ in self.grant("a") },
            store: FileTokenStore(directory: directory.path), account: { _ in "alice" })
        let account = try #require(try await coordinator.token().stamp.identity.account)
        #expect(account != "alice")
        coordinator.signIn(with: grant("b"), account: "bob")
        #expect(coordinator.identity().account != "bob")
        #expect(coordinator.identity().account != account)
    }

    @Test func namesAreNotMistakenForSeveral() {
        #expect(CredentialIdentity.account(named: "a|b%") == "a%7Cb%25")
        #expect(CredentialIdentity.account(named: "") == nil)
        let login = CredentialIdentity.account(ofLogin: 7, key: "0123456789abcdef0123456789abcdef"[...])
        #expect(CredentialIdentity.isLogin(login))
        #expect(CredentialIdentity.account(named: login).map(CredentialIdentity.isLogin) == false)
        #expect(CredentialIdentity.account(joining: ["a", "b"]) == "a|b")
        #expect(CredentialIdentity.account(joining: ["a", nil]) == nil)
        #expect(CredentialIdentity.account(joining: []) == nil)
    }

    // MARK: None

    @Test func withoutADurableStoreOrANameThereIsNone() async throws {
        let acquirer = ScriptedAcquirer { _, _ in self.grant("a") }
        let coordinators = [
            TokenRefreshCoordinator(acquirer: acquirer),
            TokenRefreshCoordinator(acquirer: acquirer, store: MemoryTokenStore()),
            TokenRefreshCoordinator(acquirer: acquirer, account: { _ in "" }),
            TokenRefreshCoordinator(provider: StaticTokenProvider(Secret("fixed"))),
        ]
        for coordinator in coordinators {
            #expect(try await coordinator.token().stamp.identity.account == nil)
            #expect(coordinator.identity().account == nil)
            coordinator.signIn(with: grant("b"))
            #expect(coordinator.identity().account == nil)
        }
        let named = TokenRefreshCoordinator(
            provider: StaticTokenProvider(Secret("fixed")), account: "service")
        #expect(try await named.token().stamp.identity.account == "service")
    }

    /// After the process has ended, no other one could know whose responses a cache has kept.
    @Test func aSignInThatIsNotStoredHasNoAccount() async throws {
        let rig = rig
        rig.store.set { $0.store = TroubledTokenStore.failure }
        let process = rig.start()
        process.signIn(with: grant("a"))
        let source = process.credentials(origins: [try Origin("https://api.test")]).pinned()
        #expect(await source.identified().account == nil)
        var request = try HTTPRequest(.get, "https://api.test/")
        let stamp = try #require(try source.stamp(&request, atLeast: 0))
        #expect(stamp.identity.account == nil)
        rig.store.set { $0.store = nil }
        let isStored = await isEventually {
            rig.clock.advance(by: .seconds(1))
            return source.identity.account != nil
        }
        #expect(isStored)
    }

    @Test func whoAsksForTheAccountWaitsForASignInToBeStored() async throws {
        let gate = Gate()
        rig.store.set { $0.storeGate = gate }
        let process = rig.start()
        process.signIn(with: grant("a"))
        let source = process.credentials(origins: [try Origin("https://api.test")]).pinned()
        let identified = Task { await source.identified() }
        await gate.waitForArrivals(1)
        #expect(source.identity.account == nil)
        gate.open()
        #expect(await identified.value.account != nil)
    }

    @Test func aStoreThatFailsIdentifiesNobody() async throws {
        rig.store.set { $0.store = TroubledTokenStore.failure }
        let process = rig.start()
        #expect(try await process.token().stamp.identity.account == nil)
    }
}
