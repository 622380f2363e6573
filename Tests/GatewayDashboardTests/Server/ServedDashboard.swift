import Foundation
import GatewayCore
import GatewayTesting
import Testing

@testable import GatewayDashboard

/// A dashboard on a port of 127.0.0.1.
struct ServedDashboard {
    let dashboard: GatewayDashboard
    let collector: DashboardCollector
    let port: UInt16
    /// `/<token>/`.
    let path: String

    init(
        clock: any GatewayClock = SystemClock(), _ change: (inout GatewayDashboard.Options) -> Void = { _ in }
    ) throws {
        var options = GatewayDashboard.Options()
        options.printsLink = false
        change(&options)
        collector = DashboardCollector(metrics: nil, clock: clock)
        dashboard = try GatewayDashboard(collector, options, random: SystemRandomSource())
        let link = try #require(URL(string: dashboard.link))
        port = UInt16(link.port ?? 0)
        path = link.path + "/"
    }

    var token: String { String(path.dropFirst().dropLast()) }

    /// A call, so that there is something to show.
    func call(_ operation: String = "list") throws {
        let origin = try Origin("https://api.example.com")
        for kind in [.started, .succeeded(status: 200, attempts: 1, duration: .milliseconds(5))]
            as [RequestEvent.Kind]
        {
            collector.record(
                RequestEvent(
                    instant: collector.clock.now, callID: 1, operation: GatewayCore.Operation(operation),
                    origin: origin, method: .get,
                    kind: kind))
        }
    }

    /// The status of one request, and the head of its response.
    func send(
        _ line: String, _ fields: [String], version: String = "HTTP/1.1"
    ) async throws -> (status: Int, text: String) {
        let port = port
        return try await PageClient.run {
            let client = try PageClient(port: port)
            client.request(line, fields, version: version)
            return client.head()
        }
    }
}
