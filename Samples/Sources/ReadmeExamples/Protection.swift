import GatewayClient

/// Circuit breakers for hosts and operations.
func circuitBreakers() throws -> GatewayConfiguration {
    var configuration = GatewayConfiguration()
    configuration.circuitBreakers = try CircuitBreakerRegistry(hosts: .server, operations: .server)
    return configuration
}
