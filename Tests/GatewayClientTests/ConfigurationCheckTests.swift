import GatewayClient
import GatewayTesting
import Testing

@Suite struct ConfigurationCheckTests {
    private typealias Timeouts = CurlConfiguration.Timeouts

    /// Limits of which one has a value.
    private static func timeouts(_ index: Int, _ value: Duration) -> Timeouts {
        func limit(_ number: Int) -> Duration { number == index ? value : .seconds(9) }
        return Timeouts(
            queue: limit(0), connect: limit(1), firstByte: limit(2), read: limit(3), write: limit(4),
            whole: limit(5))
    }

    @Test(arguments: ["queue", "connect", "firstByte", "read", "write", "whole"].enumerated().map { $0 })
    func impossibleTimeoutsNameTheProperty(index: Int, name: String) {
        for value in [Duration.zero, .seconds(-1)] {
            var configuration = GatewayConfiguration()
            configuration.transport.timeouts = Self.timeouts(index, value)
            let error = #expect(throws: NetworkError.self) { try configuration.validate() }
            #expect(error?.message == "Invalid setting 'transport.timeouts.\(name)': must be more than zero.")
            var operations = GatewayConfiguration()
            operations.operations = ["list": CallOptions(limits: configuration.transport.timeouts.limits)]
            let other = #expect(throws: NetworkError.self) { try operations.validate() }
            let start = "Invalid setting 'operations[\"list\"].limits.\(name)': "
            #expect(other?.message.hasPrefix(start) == true)
        }
    }

    private typealias Change = @Sendable (inout GatewayConfiguration) -> Void

    /// Tokens with a policy.
    private static func authentication(
        _ change: (inout TokenRefreshPolicy) -> Void
    ) -> GatewayConfiguration.Authentication {
        var policy = TokenRefreshPolicy()
        change(&policy)
        return GatewayConfiguration.Authentication(
            coordinator: TokenRefreshCoordinator(
                provider: StaticTokenProvider(Secret("token")), policy: policy),
            scope: CredentialScope([Origin]()))
    }

    /// An impossible value of each property that can have one.
    private static let impossible: [(property: String, change: Change)] = [
        ("retry.policy.maximumAttempts", { $0.retry.policy = .attempts(0) }),
        ("retry.budget.share", { $0.retry.budget = RetryBudget(share: 2, perSecond: 1, reserve: 1) }),
        ("retry.budget.share", { $0.retry.budget = RetryBudget(share: .nan, perSecond: 1, reserve: 1) }),
        (
            "protection.bulkhead.inAll",
            { $0.protection.bulkhead = BulkheadPolicy(perOrigin: .fixed(1), inAll: 0) }
        ),
        ("protection.hedging.maximumShare", { $0.protection.hedging = HedgingPolicy(maximumShare: 2) }),
        ("protection.hedging.percentile", { $0.protection.hedging = HedgingPolicy(percentile: .nan) }),
        (
            "cache.policy.mostVariants",
            {
                var policy = CachePolicy()
                policy.mostVariants = 0
                $0.cache = HTTPCache(policy: policy)
            }
        ),
        (
            "cache.policy.heuristicFraction",
            {
                var policy = CachePolicy()
                policy.heuristicFraction = .nan
                $0.cache = HTTPCache(policy: policy)
            }
        ),
        ("redirects.maximumHops", { $0.redirects.maximumHops = -1 }),
        ("timeoutAlert.rate", { $0.timeoutAlert?.rate = 0 }),
        ("timeoutAlert.rate", { $0.timeoutAlert?.rate = .nan }),
        (
            "networkAdaptation.mostRetries",
            {
                var adaptation = NetworkAdaptation()
                adaptation.mostRetries = -1
                $0.networkAdaptation = adaptation
            }
        ),
        ("deadline", { $0.deadline = .zero }),
        ("operations[\"list\"].deadline", { $0.operations = ["list": CallOptions(deadline: .zero)] }),
        (
            "operations[\"list\"].retry.maximumAttempts",
            { $0.operations = ["list": CallOptions(retry: ExponentialRetryPolicy(maximumAttempts: 0))] }
        ),
        (
            "operations[\"list\"].limits.connect",
            { $0.operations = ["list": CallOptions(limits: AttemptLimits(connect: .zero))] }
        ),
        ("operations[\"list\"].responseLimit", { $0.operations = ["list": CallOptions(responseLimit: -1)] }),
        (
            "operations[\"list\"].jsonValueLimit",
            { $0.operations = ["list": CallOptions(jsonValueLimit: .min)] }
        ),
        (
            "operations[\"list\"].idempotencyKey",
            { $0.operations = ["list": CallOptions(idempotencyKey: "")] }
        ),
        (
            "authentication.coordinator.policy.initialBackoff",
            { $0.authentication = authentication { $0.initialBackoff = .zero } }
        ),
        (
            "authentication.coordinator.policy.timeout",
            { $0.authentication = authentication { $0.timeout = .seconds(-1) } }
        ),
        (
            "authentication.coordinator.policy.advisoryJitter",
            { $0.authentication = authentication { $0.advisoryJitter = .nan } }
        ),
        (
            "authentication.coordinator.policy.maximumKeys",
            { $0.authentication = authentication { $0.maximumKeys = 0 } }
        ),
        ("transport.timeouts.whole", { $0.transport.timeouts.whole = .zero }),
        ("transport.userAgent", { $0.transport.userAgent = "a\nb" }),
        ("transport.proxy", { $0.transport.proxy = .init(host: "", port: 1) }),
        ("transport.connectionsPerOrigin", { $0.transport.connectionsPerOrigin = 0 }),
        ("transport.connectionsInAll", { $0.transport.connectionsInAll = -1 }),
        ("transport.waitingLimit", { $0.transport.waitingLimit = -1 }),
        ("transport.loops", { $0.transport.loops = 0 }),
        ("transport.responseHeaderLimitBytes", { $0.transport.responseHeaderLimitBytes = 0 }),
        ("transport.maximumConnectionIdle", { $0.transport.maximumConnectionIdle = .zero }),
        ("transport.maximumConnectionAge", { $0.transport.maximumConnectionAge = .seconds(-1) }),
        ("transport.tcpKeepAlive.idle", { $0.transport.tcpKeepAlive?.idle = .seconds(-1) }),
        ("transport.tcpKeepAlive.interval", { $0.transport.tcpKeepAlive?.interval = .zero }),
    ]

    /// Each impossible value fails in one place with the name of its property: no engine is made, and one that is made
    /// nevertheless fails each call.
    @Test(arguments: impossible.indices)
    func anImpossibleValueNamesItsProperty(index: Int) async throws {
        let (property, change) = Self.impossible[index]
        var configuration = GatewayConfiguration()
        change(&configuration)
        let error = #expect(throws: NetworkError.self) { try configuration.validate() }
        #expect(error?.code == .misconfigured && error?.message.contains("'\(property)'") == true)
        let made = #expect(throws: NetworkError.self) { try configuration.makeEngine() }
        #expect(made?.message == error?.message)
        let request = try HTTPRequest(.get, "http://127.0.0.1:1/")
        let engine = GatewayEngine(configuration: configuration)
        let failure = await #expect(throws: NetworkError.self) { try await engine.send(request) }
        #expect(failure?.message == error?.message && failure?.attempts == 0)
        // Over transports of the program all but `transport` counts.
        let transport = ScriptedTransport(.status(200))
        let other = GatewayEngine(
            transport: transport, tokenTransport: transport, configuration: configuration)
        let response = try? await other.send(request)
        let isOfTransport = property.hasPrefix("transport.")
        #expect((response != nil) == isOfTransport && transport.requests.isEmpty != isOfTransport)
    }

    @Test func defaultsAreValid() throws {
        try GatewayConfiguration().validate()
        for (timeouts, limits) in [
            (CurlConfiguration.Timeouts.standard, AttemptLimits.standard), (.fast, .fast), (.slow, .slow),
            (.server, .server),
        ] {
            try timeouts.validate()
            #expect(timeouts.limits == limits)
        }
    }

    @Test func impossiblePoliciesMakeNoEngine() async throws {
        var configuration = GatewayConfiguration()
        configuration.retry.policy = .attempts(0)
        let made = #expect(throws: NetworkError.self) { try configuration.makeEngine() }
        #expect(made?.message == "Invalid setting 'retry.policy.maximumAttempts': must be 1 or more.")
        configuration.retry.policy = .standard
        _ = try configuration.makeEngine()
        configuration.transport.timeouts.connect = .zero
        #expect(throws: NetworkError.self) { try configuration.makeEngine() }
        // Over a transport of the program, each call fails.
        configuration.retry.policy = .attempts(0)
        let transport = ScriptedTransport(.status(200))
        let engine = GatewayEngine(
            transport: transport, tokenTransport: transport, configuration: configuration)
        let error = await #expect(throws: NetworkError.self) {
            try await engine.send(try HTTPRequest(.get, "https://api.example.com/"))
        }
        #expect(error?.code == .misconfigured)
        #expect(error?.message == "Invalid setting 'retry.policy.maximumAttempts': must be 1 or more.")
        #expect(transport.requests.isEmpty)
    }
}
