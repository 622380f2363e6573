import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayResilience

/// Which policies are possible, and the presets.
@Suite struct BulkheadPolicyTests {
    typealias Change = @Sendable (inout BulkheadPolicy) -> Void

    private static let impossible: [(property: String, change: Change)] = [
        ("perOrigin", { $0.perOrigin = .fixed(0) }),
        ("perOrigin", { $0.perOrigin = .fixed(1_000_001) }),
        ("perOrigin", { $0.perOrigin = .adaptive(0...4) }),
        ("perOrigin", { $0.perOrigin = .adaptive(4...Int.max) }),
        ("inAll", { $0.inAll = 0 }),
        ("inAll", { $0.inAll = Int.max }),
        ("inAll", { $0.inAll = 5 }),
        ("waitingPerOrigin", { $0.waitingPerOrigin = -1 }),
        ("waitingPerOrigin", { $0.waitingPerOrigin = Int.max }),
        ("waitingInAll", { $0.waitingInAll = -1 }),
        ("waitingInAll", { $0.waitingInAll = Int.max }),
        ("waitingInAll", { $0.waitingInAll = 511 }),
        ("ageing", { $0.ageing = .microseconds(999) }),
        ("ageing", { $0.ageing = .seconds(-1) }),
        ("longestWait", { $0.longestWait = .zero }),
    ]

    @Test(arguments: impossible.indices)
    func impossiblePoliciesNameTheProperty(index: Int) async throws {
        let (property, change) = Self.impossible[index]
        var policy = BulkheadPolicy.mobile
        change(&policy)
        let error = #expect(throws: NetworkError.self) { try Bulkhead(policy: policy) }
        #expect(error?.code == .misconfigured)
        #expect(error?.message.hasPrefix("Invalid setting 'bulkhead.\(property)': must be ") == true)
        var configuration = AsyncRequestEngine.Configuration()
        configuration.protection.bulkhead = policy
        let invalid = #expect(throws: NetworkError.self) { try configuration.validate() }
        #expect(
            invalid?.message.hasPrefix("Invalid setting 'protection.bulkhead.\(property)': must be ") == true)
        let transport = ScriptedTransport(.status(200))
        let engine = AsyncRequestEngine(transport: transport, configuration: configuration)
        let failed = await #expect(throws: NetworkError.self) {
            try await engine.send(try HTTPRequest(.get, "http://h/x"))
        }
        #expect(failed?.message == invalid?.message && transport.requests.isEmpty && engine.bulkhead == nil)
    }

    @Test func presetsAreAsDocumented() throws {
        for policy in [BulkheadPolicy.mobile, .server] {
            try policy.validate()
            #expect(policy.waitingPerOrigin == 512 && policy.waitingInAll == 2_048)
            #expect(policy.ageing == .seconds(5) && policy.longestWait == nil)
            #expect(policy.shedsHopeless && !policy.newestFirst)
        }
        #expect(BulkheadPolicy.mobile.perOrigin == .fixed(6) && BulkheadPolicy.mobile.inAll == 24)
        #expect(BulkheadPolicy.server.perOrigin == .adaptive(8...64) && BulkheadPolicy.server.inAll == 256)
    }

    @Test func extremeTimesAreNoTrap() async throws {
        var policy = BulkheadPolicy(perOrigin: .fixed(1), inAll: 1)
        policy.ageing = .seconds(Int64.max)
        policy.longestWait = .seconds(Int64.max)
        let clock = ManualClock()
        let bulkhead = try Bulkhead(policy: policy, clock: clock)
        let gate = Gate()
        let first = Task { try await bulkhead.execute { await gate.pass() } }
        await gate.waitForArrivals(1)
        let second = Task { try await bulkhead.execute(until: nil) {} }
        await eventually { bulkhead.statistics.all.waitingCount == 1 }
        clock.advance(by: .seconds(86_400))
        gate.open()
        try await first.value
        try await second.value
    }
}
