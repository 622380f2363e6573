@testable import GatewayNetworkMonitor

struct LinkFlags: OptionSet, Sendable {
    let rawValue: UInt32
    static let up = LinkFlags(rawValue: 0x1)
    static let running = LinkFlags(rawValue: 0x40)
    static let lowerUp = LinkFlags(rawValue: 0x1_0000)
    static let live: LinkFlags = [.up, .running, .lowerUp]
}

extension NetworkTable.Link {
    static let loopback = NetworkTable.Link(index: 1, name: "lo", flags: 0x1_0049, hardwareType: 772)

    static func link(
        _ index: Int32, _ name: String, type: UInt16 = 1, flags: LinkFlags = .live, driver: String? = nil,
        master: Int32? = nil, deviceType: String? = nil
    ) -> NetworkTable.Link {
        NetworkTable.Link(
            index: index, name: name, flags: flags.rawValue, hardwareType: type, driver: driver,
            master: master,
            deviceType: deviceType)
    }
}

extension NetworkTable.Address {
    static func ipv4(_ link: Int32, _ bytes: UInt8...) -> NetworkTable.Address {
        NetworkTable.Address(link: link, family: .ipv4, bytes: bytes)
    }

    static func ipv6(_ link: Int32, _ bytes: UInt8..., isUnusable: Bool = false) -> NetworkTable.Address {
        let rest = [UInt8](repeating: 1, count: 16 - bytes.count)
        return NetworkTable.Address(link: link, family: .ipv6, bytes: bytes + rest, isUnusable: isUnusable)
    }
}

extension NetworkTable.DefaultRoute {
    static func ipv4(_ link: Int32) -> Self { .init(family: .ipv4, links: [link]) }
    static func ipv6(_ link: Int32) -> Self { .init(family: .ipv6, links: [link]) }
}
