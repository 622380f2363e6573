import GatewayClient
import GatewayDashboard

/// The page of an engine.
func dashboard() throws {
    var configuration = GatewayConfiguration()

    try GatewayDashboard.start(&configuration)
    let engine = try configuration.makeEngine()

    _ = engine
}

/// The page at a socket, with metrics.
func dashboardAtSocket() throws {
    var configuration = GatewayConfiguration()

    var options = GatewayDashboard.Options()
    options.address = .unixSocket(path: "/run/my-service/dashboard")
    options.servesMetrics = true
    let dashboard = try GatewayDashboard.start(&configuration, options: options)

    dashboard.stop()
}
