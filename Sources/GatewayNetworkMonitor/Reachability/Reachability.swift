public import GatewayCore

/// Whether there is a network, and by which interfaces.
public struct Reachability: Hashable, Sendable {
    /// Whether there is a network: a live default route in any table, or an address on a live interface.
    public let isOnline: Bool
    /// The interfaces that make it so, by name. Empty if the links are not known.
    public let interfaces: [NetworkInterface]
    /// What connections depend on. They cannot be used any more when a part of it is gone.
    let lifelines: Set<Lifeline>

    /// Something that connections depend on.
    enum Lifeline: Hashable, Sendable {
        case address(NetworkTable.Address)
        case defaultRoute(NetworkTable.Family, link: Int32)
    }

    /// What applies if nothing is known of the links: there is a network.
    static let assumedOnline = Reachability(isOnline: true, interfaces: [], lifelines: [])

    init(isOnline: Bool, interfaces: [NetworkInterface], lifelines: Set<Lifeline>) {
        self.isOnline = isOnline
        self.interfaces = interfaces
        self.lifelines = lifelines
    }

    /// Reads the status from a dump.
    ///
    /// - A default route of any table over a live interface is a network. So is a routable address on a live interface,
    ///   even without a default route: servers of the same subnet can be reached.
    /// - An address alone is not enough on loopback and dummy interfaces, on ports of a bridge, and on bridges whose ports are
    ///   only those of containers and virtual machines.
    /// - A tunnel needs a network below it, unless the namespace has nothing but tunnels, as some containers.
    init(_ table: NetworkTable) {
        let routed = Set(table.defaultRoutes.flatMap(\.links))
        let addressed = Set(table.addresses.filter(\.isRoutable).map(\.link))
        let hosts = table.hostBridges
        let connections = table.links.values.filter { link in
            !link.isLoopback && !link.isDummy && !link.isTunnel && link.master == nil
                && !hosts.contains(link.index)
        }
        var live = table.links.values.filter { link in
            guard link.isLive, !link.isLoopback, !link.isTunnel else { return false }
            return routed.contains(link.index)
                || addressed.contains(link.index) && connections.contains { $0.index == link.index }
        }
        if connections.isEmpty || !live.isEmpty {
            live += table.links.values.filter { link in
                link.isTunnel && link.isLive
                    && (routed.contains(link.index) || addressed.contains(link.index))
            }
        }
        let indices = Set(live.map(\.index))
        isOnline = !live.isEmpty
        interfaces = live.sorted { $0.name < $1.name }.map { link in
            NetworkInterface(name: link.name, kind: link.kind, hasDefaultRoute: routed.contains(link.index))
        }
        var lifelines: Set<Lifeline> = []
        for address in table.addresses where address.isRoutable && indices.contains(address.link) {
            lifelines.insert(.address(address))
        }
        for route in table.defaultRoutes {
            for link in route.links.intersection(indices) {
                lifelines.insert(.defaultRoute(route.family, link: link))
            }
        }
        self.lifelines = lifelines
    }
}

extension NetworkTable {
    /// The bridges that connect containers and virtual machines with this host only: they have no port with hardware or a
    /// network of its own.
    fileprivate var hostBridges: Set<Int32> {
        let bridges = links.values.filter { $0.driver == "bridge" }.map(\.index)
        let connected = links.values.filter { !["veth", "tun"].contains($0.driver ?? "") }.compactMap(
            \.master)
        return Set(bridges).subtracting(connected)
    }
}

extension Reachability: Redacted {
    /// The status and the interfaces, such as `online by eth0, wlan0`; no addresses.
    public var description: String {
        guard isOnline else { return "offline" }
        return interfaces.isEmpty ? "online" : "online by " + interfaces.map(\.name).joined(separator: ", ")
    }
}
