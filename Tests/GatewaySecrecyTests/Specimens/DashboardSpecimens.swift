import GatewayCore

@testable import GatewayDashboard

enum DashboardSpecimens {
    static func all() throws -> [Any] {
        var options = GatewayDashboard.Options()
        options.hosts = [Marker.token]
        options.printsLink = false
        // It stops when it is released.
        let dashboard = try GatewayDashboard(
            DashboardCollector(metrics: nil, clock: SystemClock()), options, random: SystemRandomSource())
        return [options, dashboard]
    }
}
