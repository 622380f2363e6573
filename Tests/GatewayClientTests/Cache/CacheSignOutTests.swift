import GatewayAuth
import GatewayClient
import GatewayTesting
import Testing

/// A sign-out removes the stored responses of its account.
@Suite(.timeLimit(.minutes(1))) struct CacheSignOutTests {
    @Test func theResponsesOfTheAccountAreRemoved() async throws {
        let origin = try Origin("https://a.example")
        let coordinator = TokenRefreshCoordinator(acquirer: NoAcquirer())
        let grant = TokenGrant(accessToken: Secret("one"), expiresIn: .seconds(3600))
        coordinator.signIn(with: grant, account: "alice")
        let store = MemoryCacheStore()
        var configuration = GatewayConfiguration()
        configuration.cache = HTTPCache(store: store)
        configuration.authentication = GatewayConfiguration.Authentication(
            coordinator: coordinator, scope: CredentialScope([origin]))
        let transport = ScriptedTransport(.status(200, fields: ["Cache-Control": "max-age=60"], "mine"))
        let engine = GatewayEngine(
            transport: transport, tokenTransport: ScriptedTransport(), configuration: configuration)
        let request = try HTTPRequest(.get, "https://a.example/x")
        _ = try await engine.send(request)
        #expect(try await engine.send(request).exchange.source == .cache)
        #expect(store.count == 1)
        coordinator.signOut()
        #expect(await isEventually { store.count == 0 })
    }

    /// The credential comes with the call, and no configuration names its coordinator.
    @Test func theResponsesOfACredentialOfTheCallAreRemoved() async throws {
        let coordinator = TokenRefreshCoordinator(acquirer: NoAcquirer())
        let grant = TokenGrant(accessToken: Secret("one"), expiresIn: .seconds(3600))
        coordinator.signIn(with: grant, account: "alice")
        let store = MemoryCacheStore()
        var configuration = GatewayConfiguration()
        configuration.cache = HTTPCache(store: store)
        let transport = ScriptedTransport(.status(200, fields: ["Cache-Control": "max-age=60"], "mine"))
        let engine = GatewayEngine(
            transport: transport, tokenTransport: ScriptedTransport(), configuration: configuration)
        let context = RequestContext(
            credentials: coordinator.credentials(origins: [try Origin("https://a.example")]))
        let request = try HTTPRequest(.get, "https://a.example/x")
        _ = try await engine.send(request, context: context)
        #expect(try await engine.send(request, context: context).exchange.source == .cache)
        coordinator.signOut()
        coordinator.signIn(with: grant, account: "alice")
        #expect(try await engine.send(request, context: context).exchange.source == .network)
    }

    /// Of a process that only signs out, such as a command.
    @Test func theAccountOfASignOutBeforeTheFirstTokenIsThatOfTheStore() async throws {
        let origin = try Origin("https://a.example")
        let folder = try TemporaryFolder()
        let store = MemoryCacheStore()
        func process() throws -> (TokenRefreshCoordinator, HTTPCache, GatewayEngine) {
            let coordinator = TokenRefreshCoordinator(
                acquirer: NoAcquirer(), store: FileTokenStore(directory: folder.path + "/tokens"))
            var configuration = GatewayConfiguration()
            let cache = HTTPCache(store: store)
            configuration.cache = cache
            configuration.authentication = GatewayConfiguration.Authentication(
                coordinator: coordinator, scope: CredentialScope([origin]))
            let transport = ScriptedTransport(.status(200, fields: ["Cache-Control": "max-age=60"], "mine"))
            let engine = GatewayEngine(
                transport: transport, tokenTransport: ScriptedTransport(), configuration: configuration)
            return (coordinator, cache, engine)
        }
        let (first, _, engine) = try process()
        first.signIn(with: TokenGrant(accessToken: Secret("one"), expiresIn: .seconds(3600)))
        try await first.waitUntilStored()
        _ = try await engine.send(try HTTPRequest(.get, "https://a.example/x"))
        #expect(store.count == 1)
        let (second, cache, other) = try process()
        second.signOut()
        try await second.waitUntilStored()
        #expect(await cache.waitUntilRemoved())
        #expect(store.count == 0)
        withExtendedLifetime(other) {}
    }

    /// The responses may still be on disk then.
    @Test func aRemovalThatFailsIsAnEvent() async throws {
        let coordinator = TokenRefreshCoordinator(acquirer: NoAcquirer())
        let grant = TokenGrant(accessToken: Secret("one"), expiresIn: .seconds(3600))
        coordinator.signIn(with: grant, account: "alice")
        let events = EventRecorder()
        var configuration = GatewayConfiguration()
        configuration.cache = HTTPCache(store: LockedStore())
        configuration.events = events
        configuration.authentication = GatewayConfiguration.Authentication(
            coordinator: coordinator, scope: CredentialScope([try Origin("https://a.example")]))
        let engine = GatewayEngine(
            transport: ScriptedTransport(.status(200)), tokenTransport: ScriptedTransport(),
            configuration: configuration)
        _ = try await engine.send(try HTTPRequest(.get, "https://a.example/x"))
        coordinator.signOut()
        #expect(
            await isEventually {
                events.stateEvents.count { $0.kind == .cacheStoreFailed("unavailable") && $0.origin == nil }
                    == 2
            })
    }

    /// Each engine that uses the cache tells of it, also if no configuration names the coordinator.
    @Test func soIsOneOfACredentialOfTheCall() async throws {
        let coordinator = TokenRefreshCoordinator(acquirer: NoAcquirer())
        let grant = TokenGrant(accessToken: Secret("one"), expiresIn: .seconds(3600))
        coordinator.signIn(with: grant, account: "alice")
        let events = EventRecorder()
        var configuration = GatewayConfiguration()
        let cache = HTTPCache(store: LockedStore(), clock: ManualClock())
        configuration.cache = cache
        configuration.events = events
        let engine = GatewayEngine(
            transport: ScriptedTransport(.status(200)), tokenTransport: ScriptedTransport(),
            configuration: configuration)
        cache.follow(coordinator.credentials(origins: []))
        coordinator.signOut()
        #expect(
            await isEventually {
                events.stateEvents.count { $0.kind == .cacheStoreFailed("unavailable") && $0.origin == nil }
                    == 2
            })
        withExtendedLifetime(engine) {}
    }
}

/// Stores nothing and removes nothing.
private struct LockedStore: CacheStore {
    private static let locked = CacheStoreError(.unavailable, "A test.")

    let isDurable = false

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
    func removeAll(of owner: CachePartition.Owner) async throws(CacheStoreError) { throw Self.locked }
    func removeAll() async throws(CacheStoreError) { throw Self.locked }
}

/// Gets no tokens.
private struct NoAcquirer: TokenAcquirer {
    func acquire(_ request: TokenRequest) async throws -> TokenGrant {
        throw NetworkError(.tokenUnavailable, "A test.")
    }
}
