import CNetlink

extension NetworkTable {
    /// Adds what a message of a dump says. Messages of other kinds are ignored.
    ///
    /// - Throws: ``NetlinkMessage/Malformed`` if the message ends too early.
    mutating func add(_ message: NetlinkMessage) throws(NetlinkMessage.Malformed) {
        switch Int(message.type) {
        case RTM_NEWLINK: try addLink(message.payload)
        case RTM_NEWADDR: try addAddress(message.payload)
        case RTM_NEWROUTE: try addRoute(message.payload)
        default: break
        }
    }

    private mutating func addLink(_ bytes: ArraySlice<UInt8>) throws(NetlinkMessage.Malformed) {
        guard let hardwareType = bytes.integer(UInt16.self, at: 2),
            let index = bytes.integer(Int32.self, at: 4), let flags = bytes.integer(UInt32.self, at: 8)
        else { throw .truncated }
        let attributes = try NetlinkMessage.attributes(bytes, after: 16)
        let info = try NetlinkMessage.attributes(attributes[UInt16(IFLA_LINKINFO)] ?? [])
        let name = attributes[UInt16(IFLA_IFNAME)]?.text ?? "\(index)"
        links[index] = Link(
            index: index, name: name, flags: flags, hardwareType: hardwareType,
            driver: info[UInt16(IFLA_INFO_KIND)]?.text,
            master: attributes[UInt16(IFLA_MASTER)]?.integer(Int32.self, at: 0))
    }

    private mutating func addAddress(_ bytes: ArraySlice<UInt8>) throws(NetlinkMessage.Malformed) {
        guard let family = bytes.first, let scope = bytes.dropFirst(3).first,
            let shortFlags = bytes.dropFirst(2).first, let link = bytes.integer(Int32.self, at: 4)
        else { throw .truncated }
        let attributes = try NetlinkMessage.attributes(bytes, after: 8)
        // On a point-to-point link IFA_ADDRESS is the peer's.
        guard let family = Family(rawValue: family),
            let address = attributes[UInt16(IFA_LOCAL)] ?? attributes[UInt16(IFA_ADDRESS)]
        else { return }
        let flags = attributes[UInt16(IFA_FLAGS)]?.integer(UInt32.self, at: 0) ?? UInt32(shortFlags)
        let isTentative = flags & UInt32(IFA_F_TENTATIVE) != 0 && flags & UInt32(IFA_F_OPTIMISTIC) == 0
        addresses.insert(
            Address(
                link: link, family: family, bytes: Array(address), scope: scope,
                isUnusable: isTentative || flags & UInt32(IFA_F_DADFAILED) != 0))
    }

    private mutating func addRoute(_ bytes: ArraySlice<UInt8>) throws(NetlinkMessage.Malformed) {
        let header = Array(bytes.prefix(12))
        guard header.count == 12, let flags = bytes.integer(UInt32.self, at: 8) else { throw .truncated }
        guard let family = Family(rawValue: header[0]), header[7] == UInt8(RTN_UNICAST),
            header[4] != UInt8(RT_TABLE_LOCAL.rawValue), flags & UInt32(RTM_F_CLONED) == 0,
            // VPNs cover everything by two halves, and the global addresses of IPv6 by 2000::/3.
            header[1] <= (family == .ipv4 ? 1 : 3)
        else { return }
        let attributes = try NetlinkMessage.attributes(bytes, after: 12)
        var outputs: Set<Int32> = []
        if let link = attributes[UInt16(RTA_OIF.rawValue)]?.integer(Int32.self, at: 0) {
            outputs.insert(link)
        }
        var hops = attributes[UInt16(RTA_MULTIPATH.rawValue)] ?? []
        while !hops.isEmpty {
            guard let length = hops.integer(UInt16.self, at: 0), let link = hops.integer(Int32.self, at: 4),
                length >= 8, length <= hops.count
            else { throw .truncated }
            outputs.insert(link)
            hops = hops.dropFirst((Int(length) + 3) & ~3)
        }
        defaultRoutes.insert(DefaultRoute(family: family, links: outputs))
    }
}
