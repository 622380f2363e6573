import GatewayClient
import GatewayRedis
import GatewayTesting
import Testing

/// A store in Redis that environment variables name.
@Suite(.timeLimit(.minutes(1))) struct RedisEnvironmentTests {
    @Test(
        .enabled(if: TestRedis.port != nil, "scripts/test.sh starts Redis"))
    func replicasShareWhatTheEnvironmentNames() async throws {
        let gateway = try EmbeddedGateway.start()
        defer { gateway.shutdown() }
        let variables = [
            "GATEWAY_BASE_URL": gateway.apiURL, "GATEWAY_TOKEN_URL": gateway.tokenURL,
            "GATEWAY_CLIENT_ID": gateway.client.id,
            "GATEWAY_CLIENT_SECRET": gateway.client.secret.exposed,
            // A key of its own, so that test runs share nothing.
            "GATEWAY_AUDIENCE": TestRedis.freshPrefix(),
            "GATEWAY_TOKEN_STORE": "redis://127.0.0.1:\(TestRedis.port ?? 0)",
        ]
        for _ in 1...2 {
            let environment = try GatewayEnvironment(
                variables,
                stores: [
                    "redis": { url, password in
                        RedisTokenStore(try RedisConfiguration(url: url, password: password))
                    }
                ])
            let configuration = environment.configuration()
            let engine = try configuration.makeEngine()
            let request = try HTTPRequest(.get, "\(gateway.apiURL)/books/bk-1")
            #expect(try await engine.send(request).status == 200)
            let key = try #require(environment.tokenKey)
            try await configuration.authentication?.coordinator?.waitUntilStored(key)
        }
        #expect(gateway.statistics.tokenRequestCount == 1)
    }

    @Test func whereAServerIs() throws {
        let all = try RedisConfiguration(url: "redis://gateway@10.0.0.7:6380/3", password: Secret("opens"))
        #expect(all.host == "10.0.0.7" && all.port == 6380 && all.database == 3)
        #expect(all.username == "gateway" && all.password == Secret("opens") && all.socketPath == nil)
        let least = try RedisConfiguration(url: "redis://redis.internal")
        #expect(least.host == "redis.internal" && least.port == 6379 && least.database == nil)
        #expect(least.username == nil && least.password == nil && !least.allowsPlaintextNetwork)
        #expect(try RedisConfiguration(url: "redis://redis.internal/").database == nil)
        #expect(try RedisConfiguration(url: "redis://[::1]").host == "::1")
        #expect(try RedisConfiguration(url: "redis://[::1]:80").port == 80)
        for url in ["unix:/run/redis.sock", "unix:///run/redis.sock"] {
            #expect(try RedisConfiguration(url: url).socketPath == "/run/redis.sock")
        }
    }

    @Test(arguments: [
        "", "redis:", "redis://", "rediss://redis.internal", "http://redis.internal", "redis://me:pass@host",
        "redis://:pass@host", "redis://@host", "redis://host/first", "redis://host/-1", "redis://host:0x1",
        "redis://host?db=1", "redis://ho st", "unix:run/redis.sock",
    ])
    func whatIsNoServer(url: String) {
        let error = #expect(throws: NetworkError.self) { try RedisConfiguration(url: url) }
        #expect(error?.code == .invalidURL && "\(error as Any)".contains("pass@") == false)
    }
}
