/// The links, addresses and default routes of a network namespace, as one dump of the kernel gave them.
struct NetworkTable: Hashable, Sendable {
    /// An IP family.
    enum Family: UInt8, Hashable, Sendable {
        case ipv4 = 2
        case ipv6 = 10
    }

    /// A network interface.
    struct Link: Hashable, Sendable {
        var index: Int32
        var name: String
        /// `IFF_…` of `ifinfomsg`.
        var flags: UInt32
        /// `ARPHRD_…` of `ifinfomsg`.
        var hardwareType: UInt16
        /// `IFLA_INFO_KIND`, such as `bridge`; `nil` for hardware.
        var driver: String?
        /// The interface that this one is a port of (`IFLA_MASTER`).
        var master: Int32?
        /// `DEVTYPE` in sysfs, such as `wlan` and `wwan`.
        var deviceType: String?

        /// Up, with a carrier, and running (RFC 2863: operational).
        var isLive: Bool { flags & Self.liveFlags == Self.liveFlags }
        var isLoopback: Bool { flags & 0x8 != 0 }
        var isDummy: Bool { driver == "dummy" || driver == "ifb" || driver == "nlmon" }

        /// `IFF_UP`, `IFF_RUNNING`, `IFF_LOWER_UP`.
        static let liveFlags: UInt32 = 0x1 | 0x40 | 0x1_0000
    }

    /// An address of an interface.
    struct Address: Hashable, Sendable {
        var link: Int32
        var family: Family
        var bytes: [UInt8]
        /// `RT_SCOPE_…`.
        var scope: UInt8 = 0
        /// Whether duplicate address detection is in progress or failed: the address cannot be used.
        var isUnusable = false

        /// Whether packets with this source address leave the link.
        var isRoutable: Bool {
            guard !isUnusable, scope < 253 else { return false }
            switch family {
            case .ipv4: return !bytes.starts(with: [169, 254])
            case .ipv6:
                return !(bytes.first == 0xfe && bytes.dropFirst().first.map { $0 & 0xc0 == 0x80 } ?? false)
            }
        }
    }

    /// A unicast route to everywhere, of any table.
    struct DefaultRoute: Hashable, Sendable {
        var family: Family
        /// The interfaces of its next hops.
        var links: Set<Int32>
    }

    var links: [Int32: Link] = [:]
    var addresses: Set<Address> = []
    var defaultRoutes: Set<DefaultRoute> = []
}
