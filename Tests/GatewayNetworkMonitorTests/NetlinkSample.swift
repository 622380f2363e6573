/// Messages of rtnetlink as the kernel writes them (`netlink(7)`).
enum NetlinkSample {
    static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        withUnsafeBytes(of: number) { Array($0) }
    }

    static func attribute(_ type: UInt16, _ payload: [UInt8]) -> [UInt8] {
        let padding = [UInt8](repeating: 0, count: (4 - payload.count % 4) % 4)
        return bytes(UInt16(payload.count + 4)) + bytes(type) + payload + padding
    }

    /// A message, by default a part of a dump (`NLM_F_MULTI`).
    static func message(
        _ type: UInt16, _ payload: [UInt8], flags: UInt16 = 2, sequence: UInt32 = 7
    ) -> [UInt8] {
        bytes(UInt32(payload.count + 16)) + bytes(type) + bytes(flags) + bytes(sequence)
            + bytes(UInt32(0)) + payload
    }

    /// A route with a header (`rtmsg`) over an interface.
    static func route(_ header: [UInt8], over link: Int32) -> [UInt8] {
        message(24, header + attribute(4, bytes(link)))
    }

    /// Sets the flags and the sequence number of a message.
    static func stamp(_ message: inout [UInt8], flags: UInt16, sequence: UInt32) {
        message.replaceSubrange(6..<12, with: bytes(flags) + bytes(sequence))
    }

    /// A link (bridge port), an address and a route over two interfaces.
    static let all: [[UInt8]] = [
        message(
            16,
            [0, 0] + bytes(UInt16(1)) + bytes(Int32(2)) + bytes(UInt32(0x1_0041)) + bytes(UInt32(0))
                + attribute(3, Array("eth0\0".utf8)) + attribute(10, bytes(Int32(3)))
                + attribute(18 | 0x8000, attribute(1, Array("veth\0".utf8)))),
        message(
            20,
            [2, 24, 0x80, 0] + bytes(UInt32(2)) + attribute(1, [10, 0, 0, 9]) + attribute(2, [10, 0, 0, 2])
                + attribute(8, bytes(UInt32(0x80)))),
        message(
            24,
            [2, 0, 0, 0, 254, 3, 0, 1] + bytes(UInt32(0))
                + attribute(
                    9,
                    bytes(UInt16(8)) + [0, 0] + bytes(Int32(2)) + bytes(UInt16(16)) + [0, 0] + bytes(Int32(3))
                        + attribute(5, [10, 0, 0, 1]))),
    ]
}
