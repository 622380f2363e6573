import GatewayClient

/// What protects the server from the calls of an engine.
enum Protection: String, CaseIterable {
    /// The default: a budget for retries.
    case budget
    /// The same, and circuit breakers.
    case breaker

    /// Sets it in a configuration.
    func apply(to configuration: inout GatewayConfiguration, plan: OutagePlan) throws {
        configuration.retry.budget = .standard
        guard self == .breaker else { return }
        var policy = CircuitBreakerPolicy.standard
        policy.openFor = .seconds(plan.openFor)
        policy.longestOpen = policy.openFor * 2
        configuration.protection.circuitBreakers = try CircuitBreakerRegistry(
            hosts: policy, operations: policy)
    }

    /// How many attempts the calls of an outage of so many seconds may make: 20 % more than there are calls, and 10 in each
    /// second, of which 10 s were saved up.
    func mostAttempts(offered: Int, seconds: Double) -> Double {
        1.2 * Double(offered) + 10 * (seconds + 10)
    }

    /// The longest time that calls are rejected after the end of an outage: that of the policy with its jitter.
    func openTime(_ plan: OutagePlan) -> Double { self == .breaker ? 2.2 * plan.openFor : 0 }
}
