import GatewayClient

/// Responses are stored in memory.
func cache() -> GatewayConfiguration {
    var configuration = GatewayConfiguration()
    configuration.cache = HTTPCache(store: MemoryCacheStore(byteLimit: 64 << 20))
    return configuration
}

/// The stored response, and then the one of the server.
func cachedThenFresh(_ engine: GatewayEngine, _ request: HTTPRequest) async throws {
    for try await response in engine.cachedThenFresh(request) {
        print(response.exchange.source, response.status)
    }
}

/// How long stale responses may be used.
func cachePolicy() -> GatewayConfiguration {
    var configuration = GatewayConfiguration()
    var policy = CachePolicy()
    policy.stalenessBudgets = ["listNews": .seconds(30), "listProducts": .seconds(86_400)]
    policy.staleIfError = .seconds(600)
    policy.negative = .seconds(10)
    configuration.cache = HTTPCache(policy: policy)
    return configuration
}

/// A sign-out before the first call removes what earlier processes have stored.
func follow(_ cache: HTTPCache, _ coordinator: TokenRefreshCoordinator) {
    cache.follow(coordinator.credentials(origins: []))
}
