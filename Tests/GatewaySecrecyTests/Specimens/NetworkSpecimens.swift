import GatewayCore
import GatewayTesting

@testable import GatewayNetworkMonitor

enum NetworkSpecimens {
    static func all() throws -> [Any] {
        let monitor = try ReachabilityMonitor()
        let link = NetworkTable.Link(
            index: 2, name: "eth0", flags: NetworkTable.Link.liveFlags, hardwareType: 1)
        let address = NetworkTable.Address(link: 2, family: .ipv4, bytes: [10, 0, 0, 1])
        let status = Reachability(NetworkTable(links: [2: link], addresses: [address]))
        return [
            monitor, ReachabilityMonitor.Configuration(), status, QualityPolicy.standard,
            NetworkStatus(of: monitor), NetworkStatusLine(quality: .poor, retrying: 1),
            NetworkCondition.Quality.poor.recommendation, ReachabilityMonitor.Heartbeat(),
            PortalCheck(
                transport: ScriptedTransport(), path: "/?key=\(Marker.token)", expectedText: Marker.text),
        ] + status.interfaces
            + status.interfaces.map(\.kind)
    }
}
