import Foundation
import Testing

@testable import GatewayClient

/// What the variables mean.
@Suite struct GatewayEnvironmentTests {
    private static let client = [
        "GATEWAY_BASE_URL": "https://api.example.com", "GATEWAY_TOKEN_URL": "https://auth.example.com/token",
        "GATEWAY_CLIENT_ID": "me", "GATEWAY_CLIENT_SECRET": "not-to-be-printed",
    ]

    // MARK: Good values

    @Test func nothingSetIsTheDefaults() throws {
        let environment = try GatewayEnvironment(["PATH": "/bin", "GATEWAY_TOKEN": ""])
        #expect(environment.baseURL == nil && environment.origins.isEmpty && environment.tokenKey == nil)
        #expect(environment.unknownVariables.isEmpty)
        let configuration = environment.configuration()
        #expect(configuration.authentication == nil && configuration.deadline == .seconds(60))
        #expect(configuration.transport.timeouts == .standard && configuration.transport.proxy == nil)
    }

    @Test func theWayAndTheTimes() throws {
        let folder = try TemporaryFolder()
        let pem = try folder.file("some.pem", "x")
        let environment = try GatewayEnvironment([
            "GATEWAY_CA_FILE": pem, "GATEWAY_CLIENT_CERTIFICATE_FILE": pem, "GATEWAY_CLIENT_KEY_FILE": pem,
            "GATEWAY_CLIENT_KEY_PASSWORD_FILE": try folder.file("password", "opens\n"),
            "GATEWAY_PROXY": "http://proxy.example:3128", "GATEWAY_PROXY_USERNAME": "me",
            "GATEWAY_PROXY_PASSWORD": "secret", "GATEWAY_HTTP_VERSION": "2", "GATEWAY_DEADLINE": "1.5m",
            "GATEWAY_RETRIES": "4", "GATEWAY_TIMEOUTS": "slow", "GATEWAY_CONNECT_TIMEOUT": "250ms",
            "GATEWAY_READ_TIMEOUT": "7", "GATEWAY_WRITE_TIMEOUT": "8s", "GATEWAY_ATTEMPT_TIMEOUT": "1h",
        ])
        let configuration = environment.configuration()
        let transport = configuration.transport
        #expect(transport.caFile == pem && transport.httpVersion == .http2)
        #expect(
            transport.clientCertificate
                == .init(certificateFile: pem, keyFile: pem, keyPassword: Secret("opens")))
        #expect(
            transport.proxy
                == .init(host: "proxy.example", port: 3128, username: "me", password: Secret("secret")))
        #expect(configuration.deadline == .seconds(90))
        #expect((configuration.retry.policy as? ExponentialRetryPolicy)?.maximumAttempts == 5)
        var timeouts = CurlConfiguration.Timeouts.slow
        timeouts.connect = .milliseconds(250)
        timeouts.read = .seconds(7)
        timeouts.firstByte = .seconds(7)
        timeouts.write = .seconds(8)
        timeouts.whole = .seconds(3600)
        #expect(transport.timeouts == timeouts)
        #expect(try GatewayEnvironment(["GATEWAY_DEADLINE": "none"]).configuration().deadline == nil)
    }

    @Test func retriesAndTheirBudget() throws {
        func retry(_ variables: [String: String]) throws -> ExponentialRetryPolicy? {
            try GatewayEnvironment(variables).configuration().retry.policy as? ExponentialRetryPolicy
        }
        #expect(try retry([:]) == .standard)
        for (name, policy) in [
            ("standard", ExponentialRetryPolicy.standard), ("patient", .patient), ("moderate", .moderate),
            ("aggressive", .aggressive), ("server", .server),
        ] {
            #expect(try retry(["GATEWAY_RETRY_POLICY": name]) == policy)
            var fewer = policy
            fewer.maximumAttempts = 2
            #expect(try retry(["GATEWAY_RETRY_POLICY": name, "GATEWAY_RETRIES": "1"]) == fewer)
        }
        func budget(_ name: String?) throws -> RetryBudget? {
            try GatewayEnvironment(name.map { ["GATEWAY_RETRY_BUDGET": $0] } ?? [:]).configuration()
                .retry.budget
        }
        for (name, expected) in [
            (nil, RetryBudget.standard), ("standard", .standard), ("strict", .strict),
            ("generous", .generous), ("none", nil),
        ] as [(String?, RetryBudget?)] {
            #expect(try budget(name) == expected)
        }
    }

    @Test func theCircuitBreakers() throws {
        func policy(_ name: String?) throws -> CircuitBreakerPolicy? {
            let variables = name.map { ["GATEWAY_CIRCUIT_BREAKER": $0] } ?? [:]
            return try GatewayEnvironment(variables).configuration().protection.circuitBreakers?
                .breaker(for: .host(try Origin("https://api.example.com"))).policy
        }
        #expect(try policy(nil) == nil && policy("none") == nil)
        let failures = try ["standard", "aggressive", "conservative", "server"].map {
            try policy($0)?.consecutiveFailures
        }
        #expect(failures == [5, 3, 10, 20])
    }

    /// `network.configured`
    @Test func theNetworkMonitor() throws {
        func network(_ variables: [String: String]) throws -> (any NetworkConditionSource)? {
            try GatewayEnvironment(variables).configuration().network
        }
        #expect(try network([:]) == nil && network(["GATEWAY_NETWORK_MONITOR": "off"]) == nil)
        #expect(try network(["GATEWAY_NETWORK_MONITOR": "on"]) != nil)
        let proxied = ["GATEWAY_NETWORK_MONITOR": "on", "GATEWAY_PROXY": "http://proxy.example.com:3128"]
        #expect(try network(proxied)?.condition.isOnline == true)
        #expect(throws: GatewayEnvironmentError.self) { try network(["GATEWAY_NETWORK_MONITOR": "1"]) }
        let checked = [
            "GATEWAY_NETWORK_MONITOR": "on", "GATEWAY_NETWORK_HEARTBEAT": "10s",
            "GATEWAY_NETWORK_PORTAL_CHECK": "/health?light",
            "GATEWAY_BASE_URL": "http://127.0.0.1:9",
        ]
        #expect(try GatewayEnvironment(checked).configuration().networkAdaptation == nil)
        let adapted = ["GATEWAY_NETWORK_MONITOR": "on", "GATEWAY_NETWORK_ADAPTATION": "on"]
        #expect(try GatewayEnvironment(adapted).configuration().networkAdaptation == NetworkAdaptation())
        #expect(try network(checked)?.condition == NetworkCondition(quality: .excellent))
        #expect(try network(["GATEWAY_NETWORK_MONITOR": "on", "GATEWAY_NETWORK_HEARTBEAT": "off"]) != nil)
    }

    @Test func theRateGate() throws {
        func policy(_ name: String?) throws -> RateGatePolicy? {
            let variables = name.map { ["GATEWAY_RATE_GATE": $0] } ?? [:]
            return try GatewayEnvironment(variables).configuration().protection.rateGate?.policy
        }
        #expect(try policy(nil) == nil && policy("none") == nil)
        let policies = try ["standard", "patient", "fail-fast", "cautious"].map { try policy($0) }
        #expect(policies == [.standard, .patient, .failFast, .cautious])
        #expect(throws: GatewayEnvironmentError.self) { try policy("always") }
    }

    @Test func theBulkhead() throws {
        func policy(_ text: String?) throws -> BulkheadPolicy? {
            let variables = text.map { ["GATEWAY_BULKHEAD": $0] } ?? [:]
            return try GatewayEnvironment(variables).configuration().protection.bulkhead
        }
        #expect(try policy(nil) == nil && policy("none") == nil)
        #expect(try policy("mobile") == .mobile && policy("server") == .server)
        #expect(
            try policy("per-origin=16,in-all=64") == BulkheadPolicy(perOrigin: .fixed(16), inAll: 64))
        #expect(try policy("in-all=9,per-origin=9") == BulkheadPolicy(perOrigin: .fixed(9), inAll: 9))
        #expect(try policy("per-origin=4-20") == BulkheadPolicy(perOrigin: .adaptive(4...20), inAll: 80))
    }

    @Test func hedging() throws {
        #expect(GatewayConfiguration().protection.hedging == nil)
        for (name, expected) in [(nil, nil), ("none", nil), ("standard", HedgingPolicy.standard)]
            as [(String?, HedgingPolicy?)]
        {
            let variables = name.map { ["GATEWAY_HEDGING": $0] } ?? [:]
            #expect(try GatewayEnvironment(variables).configuration().protection.hedging == expected)
        }
    }

    @Test func theCache() throws {
        func cache(_ text: String?) throws -> HTTPCache? {
            let variables = text.map { ["GATEWAY_CACHE": $0] } ?? [:]
            return try GatewayEnvironment(variables).configuration().cache
        }
        #expect(try cache(nil) === nil && cache("off") === nil)
        #expect(try cache("memory")?.store is MemoryCacheStore)
        let store = try #require(try cache("memory:4096")?.store as? MemoryCacheStore)
        let key = CacheKey(
            partition: CachePartition(owner: .account("a")), origin: try Origin("https://a.example"),
            target: "/")
        for (size, count) in [(5_000, 0), (1_000, 1)] {
            let head = CachedHead(
                id: CachedHead.ID(1), status: 200, fields: [:], requested: .zero, received: .zero,
                selecting: [:], bodyBytes: size, isDecoded: false)
            store.put(head, body: [UInt8](repeating: 0, count: size), for: key, replacing: [])
            #expect(store.count == count)
        }
    }

    private struct PlaceError: Error {}

    @Test func theStoreOfTheCacheIsThatOfTheProgram() throws {
        let places = Locked<[String]>([])
        let store = MemoryCacheStore()
        let caches: [String: GatewayEnvironment.CacheStoreMaker] = [
            "disk": { place in
                places.withLock { $0.append(place) }
                if place.isEmpty { throw PlaceError() }
                if place == "x" { throw CacheStoreError(.unavailable, "a path is required") }
                return store
            }
        ]
        func environment(_ text: String) throws -> GatewayEnvironment {
            try GatewayEnvironment(["GATEWAY_CACHE": text], caches: caches)
        }
        let cache = try #require(try environment("disk:4096:/a:b").configuration().cache)
        #expect(cache.store as? MemoryCacheStore === store)
        #expect(try environment("memory").configuration().cache?.store as? MemoryCacheStore !== store)
        for (text, reason) in [("disk", ""), ("disk:", ""), ("disk:x", ": a path is required")] {
            let error = #expect(throws: GatewayEnvironmentError.self) { try environment(text) }
            #expect(error?.problems.map(\.message) == ["the store for `disk` cannot use this value\(reason)"])
        }
        #expect(places.withLock { $0 } == ["4096:/a:b", "", "", "x"])
        #expect(throws: GatewayEnvironmentError.self) { try environment("memcached:x") }
    }

    @Test func aFileWithoutAStoreNamesTheProduct() {
        for text in ["disk", "disk:/var/cache/http.sqlite"] {
            let error = #expect(throws: GatewayEnvironmentError.self) {
                try GatewayEnvironment(["GATEWAY_CACHE": text])
            }
            #expect(error?.problems.count == 1 && error?.problems.first?.variable == "GATEWAY_CACHE")
            #expect(error?.problems.first?.message.contains("GatewayDiskCache") == true)
        }
    }

    @Test func whomCredentialsGoTo() throws {
        var variables = Self.client
        variables["GATEWAY_BASE_URL"] = "https://api.example.com/v1"
        variables["GATEWAY_ORIGINS"] = "https://other.example:8443, https://api.example.com"
        variables["GATEWAY_SCOPE"] = "b a"
        variables["GATEWAY_AUDIENCE"] = "https://api.example.com"
        let environment = try GatewayEnvironment(variables)
        #expect(
            environment.origins.map(\.description) == [
                "https://api.example.com", "https://other.example:8443",
            ])
        #expect(environment.baseURL?.target == "/v1")
        let key = try #require(environment.tokenKey)
        #expect(
            key.scopes == ["a", "b"] && key.audiences == ["https://api.example.com"] && key.client == "me")
    }

    // MARK: Names

    @Test func aMisspeltNameIsAnErrorAndAForeignOneIsNot() throws {
        let error = try #require(throws: GatewayEnvironmentError.self) {
            _ = try GatewayEnvironment(["GATEWAY_TOKEN_URI": "https://auth.example.com"])
        }
        #expect(
            error.description
                == "GATEWAY_TOKEN_URI: unknown variable: did you mean GATEWAY_TOKEN_URL?")
        let environment = try GatewayEnvironment([
            "GATEWAY_DEPLOYMENT": "blue", "GATEWAY_SERVICE_HOST": "10.0.0.1",
            "GATEWAY_PORT": "tcp://10.0.0.1:80",
            "GATEWAY_PORT_80_TCP_ADDR": "10.0.0.1", "GATEWAY_TOKEN_SERVICE_PORT_HTTPS": "443",
            // Variables of the other products.
            "GATEWAY_LOG": "info", "GATEWAY_QUEUE_FILE": "/queue.sqlite", "GATEWAY_QUEUE_CONCURRENCY": "9",
            "GATEWAY_QUEUE_COUNT": "9", "GATEWAY_QUEUE_BYTES": "9", "GATEWAY_QUEUE_POLICY": "refuse",
        ])
        #expect(environment.unknownVariables == ["GATEWAY_DEPLOYMENT"])
    }

    @Test func namesAreUnique() {
        let names = GatewayEnvironment.Variable.all.map(\.name)
        #expect(Set(names).count == names.count && names.allSatisfy { $0.hasPrefix("GATEWAY_") })
        #expect(names == VariableName.allCases.map(\.description))
    }

    /// The table in the documentation says what the code says.
    @Test func theTableIsTheCodes() throws {
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/GatewayClient/GatewayClient.docc/Environment.md")
        let rows = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
            .filter { $0.hasPrefix("| `GATEWAY_") }.map(String.init)
        let expected = GatewayEnvironment.Variable.all.map {
            "| `\($0.name)` | \($0.expected) | \($0.summary) | \($0.fallback ?? "") |"
        }
        #expect(rows == expected, "\n\(expected.joined(separator: "\n"))")
    }
}
