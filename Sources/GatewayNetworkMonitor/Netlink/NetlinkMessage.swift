/// A message of rtnetlink (RFC 3549, `netlink(7)`).
struct NetlinkMessage {
    /// What is wrong with bytes from the kernel.
    enum Malformed: Error { case truncated }

    let type: UInt16
    let flags: UInt16
    let sequence: UInt32
    let payload: ArraySlice<UInt8>

    /// Splits what one read returned.
    ///
    /// - Throws: ``Malformed/truncated`` if a message does not end where its header says.
    static func split(_ bytes: ArraySlice<UInt8>) throws(Malformed) -> [NetlinkMessage] {
        var rest = bytes
        var messages: [NetlinkMessage] = []
        while !rest.isEmpty {
            guard let length = rest.integer(UInt32.self, at: 0), let type = rest.integer(UInt16.self, at: 4),
                let flags = rest.integer(UInt16.self, at: 6), let sequence = rest.integer(UInt32.self, at: 8),
                length >= 16, length <= rest.count
            else { throw .truncated }
            messages.append(
                NetlinkMessage(
                    type: type, flags: flags, sequence: sequence,
                    payload: rest.dropFirst(16).prefix(Int(length) - 16)))
            rest = rest.dropFirst(Int(length).alignedToFour)
        }
        return messages
    }

    /// The attributes behind a header of this length, by type. The last one of a type counts.
    ///
    /// - Throws: ``Malformed/truncated`` if an attribute does not end where its header says.
    static func attributes(
        _ bytes: ArraySlice<UInt8>, after header: Int = 0
    ) throws(Malformed) -> [UInt16: ArraySlice<UInt8>] {
        guard bytes.count >= header else { throw .truncated }
        var rest = bytes.dropFirst(header)
        var attributes: [UInt16: ArraySlice<UInt8>] = [:]
        while rest.count >= 4 {
            guard let length = rest.integer(UInt16.self, at: 0), let type = rest.integer(UInt16.self, at: 2),
                length >= 4, length <= rest.count
            else { throw .truncated }
            // Without NLA_F_NESTED and NLA_F_NET_BYTEORDER.
            attributes[type & 0x3fff] = rest.dropFirst(4).prefix(Int(length) - 4)
            rest = rest.dropFirst(Int(length).alignedToFour)
        }
        return attributes
    }
}

extension Int {
    fileprivate var alignedToFour: Int { (self + 3) & ~3 }
}

extension ArraySlice<UInt8> {
    /// A number in the byte order of this machine; `nil` where the bytes end before it does.
    func integer<Number: FixedWidthInteger>(_ type: Number.Type, at offset: Int) -> Number? {
        let size = MemoryLayout<Number>.size
        let bytes = dropFirst(offset).prefix(size)
        guard bytes.count == size else { return nil }
        let number = bytes.reversed().reduce(Number.zero) { $0 << 8 | Number(truncatingIfNeeded: $1) }
        return Number(littleEndian: 1) == 1 ? number : number.byteSwapped
    }

    /// The characters before the first NUL.
    var text: String { String(decoding: prefix { $0 != 0 }, as: UTF8.self) }
}
