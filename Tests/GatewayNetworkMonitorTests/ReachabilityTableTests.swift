import Testing

@testable import GatewayNetworkMonitor

/// Which set-ups of a machine have a network.
@Suite struct ReachabilityTableTests {
    struct SetUp: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let isOnline: Bool
        var interfaces: [String] = []
        let table: NetworkTable
    }

    private static func table(
        _ links: [NetworkTable.Link], _ addresses: [NetworkTable.Address] = [],
        routes: [NetworkTable.DefaultRoute] = []
    ) -> NetworkTable {
        NetworkTable(
            links: Dictionary(uniqueKeysWithValues: ([.loopback] + links).map { ($0.index, $0) }),
            addresses: Set([.init(link: 1, family: .ipv4, bytes: [127, 0, 0, 1], scope: 254)] + addresses),
            defaultRoutes: Set(routes))
    }

    static let setUps = [
        SetUp(testDescription: "nothing", isOnline: false, table: NetworkTable()),
        SetUp(testDescription: "loopback alone", isOnline: false, table: table([])),
        SetUp(
            testDescription: "an address on loopback", isOnline: false,
            table: table([], [.ipv4(1, 10, 0, 0, 1)])),
        SetUp(
            testDescription: "a server with a default route", isOnline: true, interfaces: ["eth0"],
            table: table([.link(2, "eth0")], [.ipv4(2, 10, 0, 0, 2)], routes: [.ipv4(2)])),
        SetUp(
            testDescription: "an address without a default route", isOnline: true, interfaces: ["eth0"],
            table: table([.link(2, "eth0")], [.ipv4(2, 10, 0, 0, 2)])),
        SetUp(
            testDescription: "the cable is pulled", isOnline: false,
            table: table(
                [.link(2, "eth0", flags: [.up])], [.ipv4(2, 10, 0, 0, 2)], routes: [.ipv4(2)])),
        SetUp(
            testDescription: "a carrier, but not running", isOnline: false,
            table: table(
                [.link(2, "eth0", flags: [.up, .lowerUp])], [.ipv4(2, 10, 0, 0, 2)], routes: [.ipv4(2)])),
        SetUp(
            testDescription: "running, but set down", isOnline: false,
            table: table(
                [.link(2, "eth0", flags: [.running, .lowerUp])], [.ipv4(2, 10, 0, 0, 2)], routes: [.ipv4(2)])),
        SetUp(
            testDescription: "a carrier, no address yet", isOnline: false, table: table([.link(2, "eth0")])),
        SetUp(
            testDescription: "a link-local IPv4 address alone", isOnline: false,
            table: table([.link(2, "eth0")], [.ipv4(2, 169, 254, 7, 7)])),
        SetUp(
            testDescription: "a link-local IPv6 address alone", isOnline: false,
            table: table([.link(2, "eth0")], [.ipv6(2, 0xfe, 0x80)])),
        SetUp(
            testDescription: "IPv6 only", isOnline: true, interfaces: ["eth0"],
            table: table(
                [.link(2, "eth0")], [.ipv6(2, 0xfe, 0x80), .ipv6(2, 0x20, 0x01)], routes: [.ipv6(2)])),
        SetUp(
            testDescription: "an IPv6 address that is still tentative", isOnline: false,
            table: table([.link(2, "eth0")], [.ipv6(2, 0x20, 0x01, isUnusable: true)])),
        SetUp(
            testDescription: "a default route without an address (point to point)", isOnline: true,
            interfaces: ["ppp0"],
            table: table([.link(2, "ppp0", type: 512)], routes: [.ipv4(2)])),
        SetUp(
            testDescription: "Wi-Fi and a pulled cable", isOnline: true, interfaces: ["wlan0"],
            table: table(
                [.link(2, "eth0", flags: [.up]), .link(3, "wlan0", deviceType: "wlan")],
                [.ipv4(2, 10, 0, 0, 2), .ipv4(3, 10, 0, 1, 2)], routes: [.ipv4(2), .ipv4(3)])),
        SetUp(
            testDescription: "a container", isOnline: true, interfaces: ["eth0"],
            table: table(
                [.link(2, "eth0", driver: "veth")], [.ipv4(2, 172, 17, 0, 2)], routes: [.ipv4(2)])),
        SetUp(
            testDescription: "the uplink is down, a bridge of containers is up", isOnline: false,
            table: table(
                [
                    .link(2, "eth0", flags: [.up]), .link(3, "docker0", driver: "bridge"),
                    .link(4, "veth1", driver: "veth", master: 3),
                ], [.ipv4(2, 10, 0, 0, 2), .ipv4(3, 172, 17, 0, 1), .ipv6(4, 0xfe, 0x80)],
                routes: [.ipv4(2)])),
        SetUp(
            testDescription: "the uplink is down, a bridge of virtual machines is up", isOnline: false,
            table: table(
                [
                    .link(2, "eth0", flags: [.up]), .link(3, "virbr0", driver: "bridge"),
                    .link(4, "vnet0", driver: "tun", master: 3),
                ], [.ipv4(3, 192, 168, 122, 1)])),
        SetUp(
            testDescription: "a bridge without ports", isOnline: false,
            table: table([.link(2, "docker0", driver: "bridge")], [.ipv4(2, 172, 17, 0, 1)])),
        SetUp(
            testDescription: "the uplink is a port of a bridge", isOnline: true, interfaces: ["br0"],
            table: table(
                [
                    .link(2, "eth0", master: 3), .link(3, "br0", driver: "bridge"),
                    .link(4, "veth1", driver: "veth", master: 3),
                ], [.ipv4(3, 10, 0, 0, 2)])),
        SetUp(
            testDescription: "a default route over a bridge of containers", isOnline: true,
            interfaces: ["br0"],
            table: table(
                [.link(2, "br0", driver: "bridge"), .link(3, "veth1", driver: "veth", master: 2)],
                [.ipv4(2, 10, 0, 0, 2)], routes: [.ipv4(2)])),
        SetUp(
            testDescription: "a bond of two ports", isOnline: true, interfaces: ["bond0"],
            table: table(
                [
                    .link(2, "eth0", flags: [.up], master: 4), .link(3, "eth1", master: 4),
                    .link(4, "bond0", driver: "bond"),
                ], [.ipv4(4, 10, 0, 0, 2)], routes: [.ipv4(4)])),
        SetUp(
            testDescription: "a VPN with the default route", isOnline: true, interfaces: ["eth0", "wg0"],
            table: table(
                [.link(2, "eth0"), .link(3, "wg0", type: 65_534, driver: "wireguard")],
                [.ipv4(2, 10, 0, 0, 2), .ipv4(3, 10, 8, 0, 2)], routes: [.ipv4(3)])),
        SetUp(
            testDescription: "a VPN with the default route, and a pulled cable", isOnline: false,
            table: table(
                [.link(2, "eth0", flags: [.up]), .link(3, "tun0", type: 65_534, driver: "tun")],
                [.ipv4(2, 10, 0, 0, 2), .ipv4(3, 10, 8, 0, 2)], routes: [.ipv4(3)])),
        SetUp(
            testDescription: "nothing but a VPN, as in a container", isOnline: true, interfaces: ["tun0"],
            table: table([.link(2, "tun0", type: 65_534, driver: "tun")], [.ipv4(2, 10, 8, 0, 2)])),
        SetUp(
            testDescription: "a VPN and an unused tunnel of the kernel", isOnline: true, interfaces: ["tun0"],
            table: table(
                [
                    .link(2, "sit0", type: 776, flags: [], driver: "sit"),
                    .link(3, "tun0", type: 65_534, driver: "tun"),
                ], [.ipv4(3, 10, 8, 0, 2)], routes: [.ipv4(3)])),
        SetUp(
            testDescription: "a dummy interface", isOnline: false,
            table: table([.link(2, "kube-ipvs0", driver: "dummy")], [.ipv4(2, 10, 96, 0, 1)])),
        SetUp(
            testDescription: "a modem", isOnline: true, interfaces: ["wwan0"],
            table: table(
                [.link(2, "wwan0", type: 65_534, deviceType: "wwan")], [.ipv4(2, 10, 0, 0, 2)],
                routes: [.ipv4(2)])),
        SetUp(
            testDescription: "a route over two interfaces, one of them live", isOnline: true,
            interfaces: ["eth1"],
            table: table(
                [.link(2, "eth0", flags: [.up]), .link(3, "eth1")],
                routes: [.init(family: .ipv4, links: [2, 3])])),
        SetUp(
            testDescription: "a default route over an interface that is gone", isOnline: false,
            table: table([], routes: [.ipv4(9)])),
    ]

    @Test(arguments: setUps)
    func theStatusOfASetUp(setUp: SetUp) {
        let status = Reachability(setUp.table)
        #expect(status.isOnline == setUp.isOnline)
        #expect(status.interfaces.map(\.name) == setUp.interfaces)
    }

    @Test func kindsOfInterfaces() {
        let kinds = Self.setUps.flatMap { Reachability($0.table).interfaces }.map { ($0.name, $0.kind) }
        for (name, kind) in kinds {
            let expected: NetworkInterface.Kind =
                switch name {
                case "wlan0": .wifi
                case "wwan0", "ppp0": .cellular
                case "wg0", "tun0": .tunnel
                default: .wired
                }
            #expect(kind == expected, "\(name)")
        }
    }
}
