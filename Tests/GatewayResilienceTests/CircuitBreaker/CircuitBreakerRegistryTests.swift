import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

@Suite struct CircuitBreakerRegistryTests {
    private let clock = ManualClock()
    private let origin: Origin

    init() throws { origin = try Origin("https://api.example.com") }

    private func registry(
        _ policies: [CircuitBreakerRegistry.Key: CircuitBreakerPolicy] = [:]
    ) throws -> CircuitBreakerRegistry {
        try CircuitBreakerRegistry(policies: policies, clock: clock)
    }

    private func open(_ breaker: CircuitBreaker) async {
        while breaker.state != .open {
            _ = try? await breaker.execute { throw NetworkError(.connectionLost, "Lost.") }
        }
    }

    @Test func aKeyHasOneBreakerAndItsOwnPolicy() throws {
        let registry = try registry([
            .operation(origin, "search"): .conservative, "payments": .aggressive,
        ])
        #expect(registry.breaker(for: .host(origin)) === registry.breaker(for: .host(origin)))
        #expect(registry.breaker(for: .host(origin)).policy.consecutiveFailures == 5)
        #expect(registry.breaker(for: .operation(origin, "search")).policy.consecutiveFailures == 10)
        #expect(registry.breaker(for: "payments").policy.consecutiveFailures == 3)
        #expect(try registry.breaker(for: "mail", policy: .server).policy.consecutiveFailures == 20)
        #expect(try registry.breaker(for: "mail", policy: .aggressive).policy.consecutiveFailures == 20)
        #expect(registry.breaker(for: "mail").name == "mail")
        #expect(registry.breaker(for: .operation(origin, "x")).name == "https://api.example.com x")
    }

    @Test func impossiblePoliciesNameTheirKeyAndProperty() {
        var policy = CircuitBreakerPolicy.standard
        policy.openFor = .zero
        func message(_ make: () throws -> CircuitBreakerRegistry) -> String? {
            let error = #expect(throws: NetworkError.self) { _ = try make() }
            #expect(error?.code == .misconfigured)
            return error?.message
        }
        func problem(_ key: String) -> String { "Invalid setting '\(key).openFor': must be 1 ms or longer." }
        #expect(message { try CircuitBreakerRegistry(hosts: policy) } == problem("hosts"))
        #expect(message { try CircuitBreakerRegistry(operations: policy) } == problem("operations"))
        #expect(message { try CircuitBreakerRegistry(named: policy) } == problem("named"))
        #expect(
            message { try CircuitBreakerRegistry(policies: ["mail": policy]) } == problem("policies[mail]"))
    }

    @Test func allCanBeResetAndProbed() async throws {
        let registry = try registry()
        await open(registry.breaker(for: .host(origin)))
        await open(registry.breaker(for: "mail"))
        registry.breaker(for: "stock").isolate()
        #expect(registry.states == [.host(origin): .open, "mail": .open, "stock": .isolated])
        registry.halfOpenAll()
        #expect(registry.states == [.host(origin): .halfOpen, "mail": .halfOpen, "stock": .isolated])
        registry.resetAll()
        #expect(registry.states.values.allSatisfy { $0 == .closed })
    }

    @Test func itIsBoundedAndNeverForgetsAnOpenOne() async throws {
        let registry = try registry()
        let opened = registry.breaker(for: "opened")
        await open(opened)
        let isolated = registry.breaker(for: "isolated")
        isolated.isolate()
        let used = registry.breaker(for: "used")
        for number in 0..<5_000 {
            _ = registry.breaker(for: .named("\(number)"))
            #expect(registry.breaker(for: "used") === used)
            if number % 500 == 0 { #expect(registry.states.count <= 1_024) }
        }
        #expect(registry.breaker(for: "opened") === opened && registry.breaker(for: "isolated") === isolated)
        #expect(registry.states.count <= 1_024)
    }

    @Test func withoutRoomFurtherOperationsAreNotGuarded() async throws {
        let registry = try registry()
        for number in 0..<1_024 { registry.breaker(for: .named("\(number)")).isolate() }
        let further = registry.breaker(for: .host(origin))
        further.isolate()
        #expect(registry.breaker(for: .host(origin)) !== further && registry.states.count == 1_024)
        #expect(registry.breaker(guarding: origin, RequestContext()) == nil)
        #expect(registry.breaker(guarding: origin, RequestContext(operation: "list")) == nil)
        registry.resetAll()
        #expect(registry.breaker(guarding: origin, RequestContext(operation: "list"))?.host != nil)
        #expect(registry.states.count <= 1_024)
    }

    /// An operation and calls without one are guarded by the same breaker of the host.
    @Test func theHostOfAnOperationIsNotForgotten() throws {
        let registry = try registry()
        let operation = registry.breaker(guarding: origin, RequestContext(operation: "list"))
        for number in 0..<3_000 {
            _ = registry.breaker(for: .named("\(number)"))
            #expect(registry.breaker(guarding: origin, RequestContext(operation: "list")) === operation)
        }
        #expect(registry.breaker(guarding: origin, RequestContext()) === operation?.host)
    }

    @Test func aTierCanBeLeftOut() throws {
        let context = RequestContext(operation: "list")
        let hosts = try CircuitBreakerRegistry(operations: nil, clock: clock)
        #expect(hosts.breaker(guarding: origin, context) === hosts.breaker(for: .host(origin)))
        let operations = try CircuitBreakerRegistry(hosts: nil, clock: clock)
        #expect(operations.breaker(guarding: origin, context)?.host == nil)
        #expect(operations.breaker(guarding: origin, context) != nil)
        #expect(operations.breaker(guarding: origin, RequestContext()) == nil)
    }
}
