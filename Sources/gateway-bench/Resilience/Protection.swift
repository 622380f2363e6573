import GatewayClient

/// What protects the server from the calls of an engine.
enum Protection: String, CaseIterable {
    /// Retries without a limit but their own.
    case none

    /// Sets it in a configuration.
    func apply(to configuration: inout GatewayConfiguration, plan: OutagePlan) throws {}

    /// How many attempts calls may make during an outage, by the calls that were offered; `nil` for no bound.
    func mostAttempts(offered: Int, plan: OutagePlan) -> Double? { nil }

    /// The longest time that calls are rejected after the end of an outage.
    func openTime(_ plan: OutagePlan) -> Double { 0 }
}
