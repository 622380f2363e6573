/// A network interface that calls may use.
public struct NetworkInterface: Hashable, Sendable {
    /// What an interface is, as far as the kernel tells. Whether it is metered is not known.
    @nonexhaustive
    public enum Kind: String, Hashable, Sendable {
        /// Ethernet or the like, virtual ones included.
        case wired
        /// IEEE 802.11.
        case wifi
        /// A modem.
        case cellular
        /// A virtual private network, or another tunnel.
        case tunnel
    }

    /// The name, such as `eth0`.
    public let name: String
    /// What it is.
    public let kind: Kind
    /// Whether a default route leads there.
    public let hasDefaultRoute: Bool
}

extension NetworkTable.Link {
    var kind: NetworkInterface.Kind {
        if isTunnel { return .tunnel }
        switch deviceType {
        case "wlan": return .wifi
        case "wwan": return .cellular
        // ARPHRD_RAWIP, ARPHRD_PPP.
        default: return hardwareType == 519 || hardwareType == 512 ? .cellular : .wired
        }
    }

    /// Whether packets leave through another interface. PPP is not a tunnel: it may be a modem's.
    var isTunnel: Bool {
        switch driver {
        case "tun", "wireguard", "ipip", "sit", "gre", "ip6gre", "ip6tnl", "vti", "vti6", "xfrm", "ovpn": true
        // ARPHRD_TUNNEL, ARPHRD_TUNNEL6, ARPHRD_SIT, ARPHRD_IPGRE, ARPHRD_NONE.
        default: [768, 769, 776, 778, 65_534].contains(hardwareType) && deviceType != "wwan"
        }
    }
}
