@testable import GatewayCore
@testable import GatewayCurl
@testable import GatewayResilience

enum CurlSpecimens {
    static func configuration() -> CurlConfiguration {
        var configuration = CurlConfiguration()
        configuration.caFile = "/run/secrets/\(Marker.text)"
        configuration.userAgent = Marker.text
        configuration.clientCertificate = certificate
        configuration.proxy = proxy
        configuration.pinnedKeys = ["sha256//\(Marker.text)"]
        configuration.unixSocketPath = "/run/\(Marker.text)"
        return configuration
    }

    private static var certificate: CurlConfiguration.ClientCertificate {
        CurlConfiguration.ClientCertificate(
            certificateFile: "/run/secrets/\(Marker.text)", keyFile: "/run/secrets/\(Marker.text)",
            keyPassword: Secret(Marker.text))
    }
    private static var proxy: CurlConfiguration.Proxy {
        CurlConfiguration.Proxy(
            host: "proxy.example.com", port: 3128, username: Marker.text, password: Secret(Marker.text))
    }

    static func all() throws -> [Any] {
        var ordinary = CurlConfiguration()
        ordinary.proxy = proxy
        return [
            configuration(), certificate, proxy, CurlConfiguration.Timeouts.standard,
            CurlConfiguration.TCPKeepAlive(),
            CurlConfiguration.Resolution(host: "a.example.com", port: 443, addresses: ["127.0.0.1"]),
            CurlConfiguration.Detour(host: "a.example.com", port: 443, toHost: "b.example.com", toPort: 8443),
            CurlTransport(configuration: ordinary),
        ]
    }
}

enum ResilienceSpecimens {
    static func all() throws -> [Any] {
        var configuration = AsyncRequestEngine.Configuration()
        configuration.events = LeakySink()
        configuration.retry.policy = Leaky()
        let store = HSTSPolicyStore()
        var context = RequestContext()
        context.credentials = LeakyCredential()
        let request = try HTTPRequest(
            .get, "https://api.example.com/?key=\(Marker.token)", fields: ["Cookie": Marker.text],
            body: .bytes(Marker.bytes))
        let breakers = try CircuitBreakerRegistry()
        configuration.protection.circuitBreakers = breakers
        let gate = try RateGate()
        configuration.protection.rateGate = gate
        configuration.protection.bulkhead = .server
        let bulkhead = try Bulkhead(policy: .mobile)
        configuration.protection.hedging = .standard
        return [
            gate, RateGatePolicy.standard, RateGatePolicy.Scope.origin,
            RateGate.Limit(
                origin: request.origin, name: "core", closedFor: .zero, waiting: 1, callsPerSecond: 1),
            breakers, breakers.breaker(for: "orders"), CircuitBreakerRegistry.Key.named("orders"),
            CircuitBreaker.State.closed, CircuitBreakerPolicy.standard, CircuitBreakerPolicy.Verdict.ignored,
            CircuitBreakerPolicy.Rate(share: 1, minimumCalls: 1, window: .seconds(1)),
            CircuitBreaker.Transition(from: .closed, to: .open, instant: .now, openFor: .seconds(1)),
            bulkhead, bulkhead.statistics, bulkhead.statistics.all, BulkheadPolicy.server,
            BulkheadPolicy.Limit.fixed(1), RetryExecutor(Leaky()), configuration,
            AsyncRequestEngine(transport: Leaky(), configuration: configuration),
            CoalescingEngine(below: Leaky()), RequestIdentity(request, context: context) as Any,
            configuration.retry, configuration.protection, configuration.coalescing as Any,
            RedirectEngine(below: Leaky()),
            EngineHealth(), EngineHealth.RetryBudgetState(retries: 1, isExhausted: false),
            HedgingPolicy.standard,
            AsyncRequestEngine(transport: Leaky(), configuration: configuration).hedgingStatistics as Any,
            RedirectPolicy(), RetryBudget.standard, TimeoutAlert.standard, Backoff.immediate,
            Backoff.fixed(.zero),
            ExponentialRetryPolicy(),
            Backoff.exponential(base: .zero, cap: .zero), Jitter.full, Jitter.proportional(1),
            Jitter.additive(1), RetryEngine(below: Leaky(), policy: Leaky()), store,
            StrictTransportRecorder(below: Leaky(), store: store),
        ] + cache(request)
    }
    private static func cache(_ request: HTTPRequest) -> [Any] {
        let fields: HTTPFields = ["Cookie": Marker.text]
        let partition = CachePartition(
            owner: .account(Marker.text), certificate: Marker.text, fields: fields)
        let identity = CredentialIdentity(key: Marker.text, epoch: 1)
        return [
            partition, CachePartition.Owner.identity(identity), CachePolicy(), MemoryCacheStore(),
            HTTPCache(certificate: Marker.text), Leaky().cachedThenFresh(request),
            Leaky().cachedThenFresh(request).makeAsyncIterator(),
            CacheEngine(below: Leaky(), cache: HTTPCache()),
            CacheKey(partition: partition, origin: request.origin, target: request.target),
            CachedHead(
                id: CachedHead.ID(1), status: 200, fields: fields, requested: .zero, received: .zero,
                selecting: fields, bodyBytes: 0, isDecoded: false),
            CachedHead.ID(1), CacheGeneration(1), CacheStoreError(.full, "There is no room."),
            CacheStoreError.Code.full,
        ]
    }
}
