import GatewayAuth
import GatewayClient
import GatewayTesting
import Testing

/// Responses of a login that could not be removed when it ended are removed later, by the same process or by another one.
@Suite(.timeLimit(.minutes(1))) struct EndedLoginTests {
    private let folder: TemporaryFolder
    private let store = LockableStore()

    init() throws { folder = try TemporaryFolder() }

    private var tokens: FileTokenStore { FileTokenStore(directory: folder.path + "/tokens") }

    private static let grant = TokenGrant(
        accessToken: Secret("a"), expiresIn: .seconds(3600), refreshToken: Secret("r"))

    private func coordinator() -> TokenRefreshCoordinator {
        TokenRefreshCoordinator(acquirer: NoAcquirer(), store: tokens)
    }

    /// Somebody signs in.
    ///
    /// - Returns: the account.
    private func signIn(_ coordinator: TokenRefreshCoordinator, _ key: TokenKey = .default) async throws
        -> String
    {
        coordinator.signIn(key, with: Self.grant)
        try await coordinator.waitUntilStored(key)
        return try #require(coordinator.identity(for: key).account)
    }

    private func engine(_ coordinator: TokenRefreshCoordinator, _ cache: HTTPCache) throws -> GatewayEngine {
        var configuration = GatewayConfiguration()
        configuration.cache = cache
        configuration.authentication = GatewayConfiguration.Authentication(
            coordinator: coordinator, scope: CredentialScope([try Origin("https://a.example")]))
        return GatewayEngine(
            transport: ScriptedTransport(), tokenTransport: ScriptedTransport(), configuration: configuration)
    }

    // MARK: A sign-out by the environment

    private func environment() throws -> GatewayEnvironment {
        let store = store
        return try GatewayEnvironment(
            [
                "GATEWAY_CLIENT_ID": "me", "GATEWAY_CLIENT_SECRET_FILE": try folder.file("secret", "secret"),
                "GATEWAY_GRANT": "authorization_code", "GATEWAY_TOKEN_STORE": folder.path + "/tokens",
                "GATEWAY_TOKEN_URL": "https://login.example/token",
                "GATEWAY_AUTHORIZATION_URL": "https://login.example/authorize", "GATEWAY_CACHE": "mine:",
            ], caches: ["mine": { _ in store }], requiresOrigins: false)
    }

    /// As `gateway logout` does while another process has locked the file of the cache.
    @Test func theNextSignOutRemovesWhatAnEarlierOneHasLeft() async throws {
        let first = try environment()
        let key = try #require(first.tokenKey)
        let account = try await signIn(
            try #require(first.configuration().authentication?.coordinator), key)
        store.isLocked = true
        guard case .responsesLeft(let error, _) = try await first.signOut(deadline: .after(.zero)) else {
            Issue.record("the responses are still there")
            return
        }
        #expect(error.code == .unavailable && store.removed.isEmpty)
        #expect(try await tokens.load(key)?.content == .signedOut)
        store.isLocked = false
        guard case .notSignedIn = try await environment().signOut(deadline: .after(.seconds(60))) else {
            Issue.record("signed out twice")
            return
        }
        #expect(Set(store.removed) == [.account(account)])
        // That was it.
        let count = store.removed.count
        _ = try await environment().signOut(deadline: .after(.seconds(60)))
        #expect(store.removed.count == count)
        #expect(try await tokens.load(key)?.endedLogins == [])
    }

    // MARK: A sign-out by a coordinator

    /// The first process ends before its cache could remove them; its clock stands still.
    @Test func theNextProcessRemovesWhatAnEarlierOneHasLeft() async throws {
        let first = coordinator()
        let engine = try engine(first, HTTPCache(store: store, clock: ManualClock()))
        let account = try await signIn(first)
        store.isLocked = true
        first.signOut()
        try await first.waitUntilStored()
        #expect(try await tokens.load(.default)?.endedLogins.count == 1)
        store.isLocked = false
        let next = try self.engine(coordinator(), HTTPCache(store: store))
        let tokens = tokens
        #expect(await isEventually { (try? await tokens.load(.default))?.endedLogins == [] })
        #expect(Set(store.removed) == [.account(account)])
        withExtendedLifetime((engine, next)) {}
    }

    @Test func aLoginWhoseResponsesAreRemovedIsForgotten() async throws {
        let coordinator = coordinator()
        let engine = try engine(coordinator, HTTPCache(store: store))
        let account = try await signIn(coordinator)
        coordinator.signOut()
        try await coordinator.waitUntilStored()
        let tokens = tokens
        #expect(await isEventually { (try? await tokens.load(.default))?.endedLogins == [] })
        #expect(store.removed.contains(.account(account)))
        // The next login of the store is not concerned.
        let next = try await signIn(coordinator)
        #expect(next != account && !store.removed.contains(.account(next)))
        withExtendedLifetime(engine) {}
    }

    // MARK: A sign-in in place of a login

    /// By the same process, or by another one that has not read the store.
    @Test(arguments: [true, false]) func aSignInEndsTheLoginBeforeIt(isSameProcess: Bool) async throws {
        let first = coordinator()
        let alice = try await signIn(first)
        let second = isSameProcess ? first : coordinator()
        let cache = HTTPCache(store: store)
        let engine = try engine(second, cache)
        let bob = try await signIn(second)
        #expect(await cache.waitUntilRemoved())
        #expect(store.removed.contains(.account(alice)) && !store.removed.contains(.account(bob)))
        // Nothing is stored for it any more.
        #expect(store.ended.contains(.account(alice)))
        let tokens = tokens
        #expect(await isEventually { (try? await tokens.load(.default))?.endedLogins == [] })
        withExtendedLifetime(engine) {}
    }

    /// Also one that the store has never held, and one whose record was lost; a refresh ends none.
    @Test func theStoreKnowsALoginThatASignInHasEnded() async throws {
        let first = coordinator()
        let engine = try engine(first, HTTPCache(store: store, clock: ManualClock()))
        store.isLocked = true
        first.signIn(with: Self.grant)
        _ = try await signIn(first)
        let bob = try #require(try await tokens.load(.default))
        #expect(bob.endedLogins.count == 1)
        let lost = StoredToken(
            key: .default, generation: bob.generation + 1, login: bob.login, content: .lost,
            endedLogins: bob.endedLogins)
        #expect(try await tokens.store(lost, for: .default, replacing: bob.generation))
        _ = try await signIn(first)
        #expect(try await tokens.load(.default)?.endedLogins == bob.endedLogins + [bob.login])
        withExtendedLifetime(engine) {}
    }

    /// A program that signs in may make no engine: the next one removes the responses of the login before.
    @Test func aSignInByTheEnvironmentEndsTheLoginBeforeIt() async throws {
        var accounts: [String] = []
        let key = try #require(try environment().tokenKey)
        for _ in 0..<2 {
            let coordinator = try #require(
                try environment().configuration().authentication?.coordinator)
            accounts.append(try await signIn(coordinator, key))
        }
        #expect(try await tokens.load(key)?.endedLogins.count == 1)
        let cache = HTTPCache(store: store)
        cache.follow(coordinator().credentials(for: key, origins: []))
        let tokens = tokens
        #expect(await isEventually { (try? await tokens.load(key))?.endedLogins == [] })
        #expect(store.removed == [.account(accounts[0])])
    }

    /// A program without a cache beside one that has stored responses.
    @Test(arguments: [true, false])
    func whatAProcessWithoutACacheHasEndedIsRemovedByTheNextOneWithIt(isSignOut: Bool) async throws {
        let account = try await signIn(coordinator())
        let other = coordinator()
        if isSignOut { other.signOut() } else { other.signIn(with: Self.grant) }
        try await other.waitUntilStored()
        let cache = HTTPCache(store: store)
        let engine = try engine(coordinator(), cache)
        let tokens = tokens
        #expect(await isEventually { (try? await tokens.load(.default))?.endedLogins == [] })
        #expect(store.removed == [.account(account)] && store.ended == [.account(account)])
        withExtendedLifetime(engine) {}
    }

    // MARK: Waiting

    /// Nothing was called, and the store of tokens is not read yet.
    @Test(arguments: [1, 21]) func aWaitIsForAllThatTheStoreOfTokensKnows(count: Int) async throws {
        let process = coordinator()
        var accounts: Set<CachePartition.Owner> = []
        for _ in 0..<count { accounts.insert(.account(try await signIn(process))) }
        process.signOut()
        try await process.waitUntilStored()
        let (next, cache) = (coordinator(), HTTPCache(store: store))
        cache.follow(next.credentials(origins: []))
        #expect(await cache.waitUntilRemoved())
        #expect(Set(store.ended) == accounts)
    }

    /// A caller that gets `false` asks again, or leaves it to the next process.
    @Test func aWaitFailsIfTheStoreOfTokensDoes() async throws {
        let account = try await signIn(coordinator())
        let tokens = FailingTokens(tokens)
        let process = TokenRefreshCoordinator(acquirer: NoAcquirer(), store: tokens)
        let cache = HTTPCache(store: store)
        cache.follow(process.credentials(origins: []))
        tokens.failure = .load
        #expect(await !cache.waitUntilRemoved())
        tokens.failure = .store
        process.signOut()
        #expect(await !cache.waitUntilRemoved())
        #expect(store.removed.isEmpty)
        tokens.failure = nil
        #expect(await cache.waitUntilRemoved())
        #expect(store.ended.contains(.account(account)))
    }

    /// Then the oldest ones are not known any more.
    @Test func afterTooManyEndedLoginsEverythingIsRemoved() async throws {
        let process = coordinator()
        for _ in 0..<StoredToken.maximumEndedLogins + 2 { _ = try await signIn(process) }
        #expect(try await tokens.load(.default)?.endedLogins.first == 0)
        let engine = try engine(coordinator(), HTTPCache(store: store))
        let tokens = tokens
        #expect(await isEventually { (try? await tokens.load(.default))?.endedLogins == [] })
        #expect(store.hasRemovedAll && store.ended.count == StoredToken.maximumEndedLogins - 1)
        withExtendedLifetime(engine) {}
    }

    /// As a command does whose process ends soon, after a sign-out that was killed.
    @Test func theEnvironmentFinishesEndedLogins() async throws {
        let environment = try environment()
        let key = try #require(environment.tokenKey)
        let account = try await signIn(
            try #require(environment.configuration().authentication?.coordinator), key)
        _ = try await tokens.signOut(key)
        let cache = try #require(environment.configuration().cache)
        store.isLocked = true
        let left = await environment.finishEndedLogins(in: cache, deadline: .after(.zero))
        #expect(left?.code == .unavailable)
        #expect(try await tokens.load(key)?.endedLogins.count == 1)
        store.isLocked = false
        #expect(await environment.finishEndedLogins(in: cache, deadline: .after(.seconds(60))) == nil)
        #expect(Set(store.removed) == [.account(account)])
        #expect(try await tokens.load(key)?.endedLogins == [])
        // That was it.
        let count = store.removed.count
        #expect(await environment.finishEndedLogins(in: cache, deadline: .after(.seconds(60))) == nil)
        #expect(store.removed.count == count)
    }

    // MARK: Credentials of calls

    /// No engine is configured with the credential, and nothing was called.
    @Test func aCredentialThatIsFollowedIsSignedOutBeforeTheFirstCall() async throws {
        let account = try await signIn(coordinator())
        let coordinator = coordinator()
        let cache = HTTPCache(store: store)
        cache.follow(coordinator.credentials(origins: []))
        coordinator.signOut()
        try await coordinator.waitUntilStored()
        #expect(await cache.waitUntilRemoved())
        #expect(store.removed.contains(.account(account)))
    }
}

/// Removes nothing while it is locked, and notes whose responses it has removed.
private final class LockableStore: CacheStore {
    private let state = Locked(
        (
            isLocked: false, hasRemovedAll: false, removed: [CachePartition.Owner](),
            ended: [CachePartition.Owner]()
        ))

    var isDurable: Bool { true }
    var isLocked: Bool {
        get { state.withLock { $0.isLocked } }
        set { state.withLock { $0.isLocked = newValue } }
    }
    /// The accounts.
    var removed: [CachePartition.Owner] { state.withLock { $0.removed } }
    var hasRemovedAll: Bool { state.withLock { $0.hasRemovedAll } }
    /// Those that never come again.
    var ended: [CachePartition.Owner] { state.withLock { $0.ended } }

    func heads(for key: CacheKey) async throws(CacheStoreError) -> [CachedHead] { [] }
    func body(of id: CachedHead.ID, for key: CacheKey) async throws(CacheStoreError) -> [UInt8]? { nil }
    func generation(for key: CacheKey) async throws(CacheStoreError) -> CacheGeneration { .init(0) }
    func put(
        _ head: CachedHead, body: [UInt8], for key: CacheKey, replacing replaced: [CachedHead.ID],
        since generation: CacheGeneration
    ) async throws(CacheStoreError) -> Int? { nil }
    func update(_ head: CachedHead, for key: CacheKey) async throws(CacheStoreError) {}
    func remove(_ key: CacheKey) async throws(CacheStoreError) {}
    func invalidate(_ key: CacheKey) async throws(CacheStoreError) {}
    func removeAll(of owner: CachePartition.Owner) async throws(CacheStoreError) {
        guard case .account = owner else { return }
        let isLocked = state.withLock { state in
            if !state.isLocked { state.removed.append(owner) }
            return state.isLocked
        }
        if isLocked { throw CacheStoreError(.unavailable, "A test.") }
    }
    func removeAll(ofEnded owner: CachePartition.Owner) async throws(CacheStoreError) {
        try await removeAll(of: owner)
        state.withLock { $0.ended.append(owner) }
    }
    func removeAll() async throws(CacheStoreError) { state.withLock { $0.hasRemovedAll = true } }
}

/// Cannot be read or written.
private final class FailingTokens: TokenStore {
    enum Failure { case load, store }

    private let inner: FileTokenStore
    private let state = Locked<Failure?>(nil)

    init(_ inner: FileTokenStore) { self.inner = inner }

    var failure: Failure? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    func load(_ key: TokenKey) async throws(NetworkError) -> StoredToken? {
        try fail(.load)
        return try await inner.load(key)
    }

    func store(
        _ record: StoredToken, for key: TokenKey, replacing generation: UInt64
    ) async throws(NetworkError) -> Bool {
        try fail(.store)
        return try await inner.store(record, for: key, replacing: generation)
    }

    func lock(_ key: TokenKey, deadline: Deadline) async throws(NetworkError) -> any TokenStoreLock {
        try await inner.lock(key, deadline: deadline)
    }

    private func fail(_ failure: Failure) throws(NetworkError) {
        if self.failure == failure { throw NetworkError(.tokenStoreFailed, "A test.") }
    }
}

/// Gets no tokens.
private struct NoAcquirer: TokenAcquirer {
    func acquire(_ request: TokenRequest) async throws -> TokenGrant {
        throw NetworkError(.tokenUnavailable, "A test.")
    }
}
