import GatewayClient

/// What protects the server from the calls of an engine.
enum Protection: String, CaseIterable {
    /// The default: a budget for retries.
    case budget

    /// Sets it in a configuration.
    func apply(to configuration: inout GatewayConfiguration, plan: OutagePlan) throws {
        configuration.retryBudget = .standard
    }

    /// How many attempts the calls of an outage of so many seconds may make: 20 % more than there are calls, and 10 in each second, of which
    /// 10 s were saved up.
    func mostAttempts(offered: Int, seconds: Double) -> Double {
        1.2 * Double(offered) + 10 * (seconds + 10)
    }

    /// The longest time that calls are rejected after the end of an outage.
    func openTime(_ plan: OutagePlan) -> Double { 0 }
}
