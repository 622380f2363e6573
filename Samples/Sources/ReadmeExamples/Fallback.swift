import GatewayClient
import GatewayDiskCache

/// Responses outlive the process.
func diskCache() -> GatewayConfiguration {
    var configuration = GatewayConfiguration()
    configuration.cache = HTTPCache(store: DiskCacheStore(path: "/var/cache/my-service/http.sqlite"))
    return configuration
}

/// Another server, then what was stored, then nothing.
func fallback(_ live: GatewayEngine, _ replica: GatewayEngine, _ request: HTTPRequest) async throws {
    let chain = FallbackChain("live") { try await live.send(request) }
        .fallback("replica") { try await replica.send(request) }
        .fallback("none", when: .any) {
            HTTPResponse(status: 204, exchange: Exchange(origin: request.origin))
        }
    let result = try await chain.execute()
    print(result.value.status, "from", result.step)
    for failure in result.failures { print(failure.step, "failed:", failure.error) }
}

/// A replica for all calls of a client.
func fallbackEngine(_ live: GatewayEngine, _ replica: GatewayEngine, _ request: HTTPRequest) async throws {
    let engine = FallbackEngine(below: live, steps: [.engine("replica", replica)])
    let response = try await engine.send(request)
    print(response.status)
}

/// A feature that is degraded while its service is not available.
func degradable(_ engine: GatewayEngine, _ request: HTTPRequest) async throws {
    let breaker = try CircuitBreaker(named: "suggestions", policy: .aggressive)
    let suggestions = DegradableFeature(breaker: breaker) {
        try await engine.send(request).text()
    } degraded: { _ in
        "the ten best-selling books"
    }
    switch try await suggestions.execute() {
    case .full(let text): print(text)
    case .degraded(let text, let error): print(text, "because of", error)
    }
}

/// Many calls with one deadline.
func batch(_ engine: GatewayEngine, _ requests: [HTTPRequest]) async throws {
    let batch = Batch(concurrency: 16, deadline: .after(.seconds(30)))
    let results = await batch.results(for: requests) { try await engine.send($0).status }
    for (request, result) in zip(requests, results) {
        print(request.origin, (try? result.get()) ?? 0)
    }

    await batch.run(requests, order: .completion) { request in
        try await engine.send(request).status
    } receive: { index, result in
        print(index, result)
    }
}
