import GatewayClient

/// Rate limits of servers hold back all calls that they concern.
func rateGate() throws -> GatewayConfiguration {
    var configuration = GatewayConfiguration()
    let gate = try RateGate(.standard)
    configuration.protection.rateGate = gate
    return configuration
}

/// Circuit breakers for hosts and operations.
func circuitBreakers() throws -> GatewayConfiguration {
    var configuration = GatewayConfiguration()
    configuration.protection.circuitBreakers = try CircuitBreakerRegistry(hosts: .server, operations: .server)
    return configuration
}

/// A limit of calls in progress, and the priorities of those that wait.
func bulkhead() -> (GatewayConfiguration, [CallOptions]) {
    var configuration = GatewayConfiguration()
    configuration.protection.bulkhead = .server
    let payment = CallOptions(priority: .critical)
    let prefetch = CallOptions(priority: .low)
    return (configuration, [payment, prefetch])
}

/// A second request for reads that take long.
func hedging() -> GatewayConfiguration {
    var configuration = GatewayConfiguration()
    configuration.protection.hedging = .standard
    return configuration
}
