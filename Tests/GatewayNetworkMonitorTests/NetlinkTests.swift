import GatewayTesting
import Testing

@testable import GatewayNetworkMonitor

@Suite struct NetlinkTests {
    /// The dump of this machine, as it is.
    @Test func theTablesOfThisMachineAreRead() throws {
        var dump = NetlinkDump()
        let table = try dump.read()
        let loopback = try #require(table.links.values.first { $0.isLoopback })
        #expect(loopback.name == "lo")
        #expect(!table.links.values.contains { $0.name.isEmpty })
        #expect(table.addresses.allSatisfy { $0.bytes.count == ($0.family == .ipv4 ? 4 : 16) })
        #expect(table.addresses.allSatisfy { table.links[$0.link] != nil })
    }

    /// `network.dump-after-loss`
    @Test(arguments: [1, 15, 16, 100, 512])
    func aTruncatedDumpIsRepeatedWithALargerBuffer(bytes: Int) throws {
        var whole = NetlinkDump()
        var small = NetlinkDump(bufferBytes: bytes)
        let expected = Set(try whole.read().links.values.map(\.name))
        // At most eight repetitions: a large machine needs several dumps until its longest message fits.
        let table = try? small.read()
        let read = try table ?? small.read()
        #expect(Set(read.links.values.map(\.name)) == expected)
        #expect(small.repetitions > 0)
    }

    @Test func messagesAreRead() throws {
        var table = NetworkTable()
        for message in try NetlinkMessage.split(NetlinkSample.all.flatMap { $0 }[...]) {
            #expect(message.sequence == 7)
            try table.add(message)
        }
        #expect(table.links[2] == .link(2, "eth0", driver: "veth", master: 3))
        #expect(table.addresses == [.ipv4(2, 10, 0, 0, 2)])
        #expect(table.defaultRoutes == [.init(family: .ipv4, links: [2, 3])])
    }

    /// A message that ends anywhere is an error or a message without an attribute, never a trap.
    @Test(arguments: NetlinkSample.all.indices)
    func truncatedMessagesAreRefused(index: Int) throws {
        let sample = NetlinkSample.all[index]
        for end in 1..<sample.count {
            #expect(throws: NetlinkMessage.Malformed.self) { try NetlinkMessage.split(sample[..<end]) }
            // With a header that says so.
            guard end >= 16 else { continue }
            let short = NetlinkSample.bytes(UInt32(end)) + sample[4..<end]
            var table = NetworkTable()
            try? table.add(NetlinkMessage.split(short[...])[0])
        }
    }

    @Test func mangledMessagesDoNotTrap() {
        let random = SeededRandomSource(seed: TestSeed.value(20))
        for _ in 0..<SoakScale.rounds(2_000) {
            var sample = NetlinkSample.all[random.int(in: 0..<NetlinkSample.all.count)]
            for _ in 0..<random.int(in: 1..<4) {
                sample[random.int(in: 0..<sample.count)] = UInt8(truncatingIfNeeded: random.next())
            }
            var table = NetworkTable()
            for message in (try? NetlinkMessage.split(sample[...])) ?? [] { try? table.add(message) }
        }
    }

    /// What is no default route: of the table of local addresses, to a subnet, unreachable, a cached clone.
    @Test(
        arguments: [
            [2, 0, 0, 0, 255, 3, 0, 1, 0, 0, 0, 0], [2, 8, 0, 0, 254, 3, 0, 1, 0, 0, 0, 0],
            [2, 0, 0, 0, 254, 3, 0, 7, 0, 0, 0, 0], [2, 0, 0, 0, 254, 3, 0, 1, 0, 2, 0, 0],
            [10, 4, 0, 0, 254, 3, 0, 1, 0, 0, 0, 0], [7, 0, 0, 0, 254, 3, 0, 1, 0, 0, 0, 0],
        ] as [[UInt8]])
    func otherRoutesAreIgnored(header: [UInt8]) throws {
        var table = NetworkTable()
        let bytes = NetlinkSample.route(header, over: 2)
        try table.add(NetlinkMessage.split(bytes[...])[0])
        #expect(table.defaultRoutes == [])
    }

    /// VPNs cover everything by two halves.
    @Test func halvesAreDefaultRoutes() throws {
        var table = NetworkTable()
        let bytes = NetlinkSample.route([2, 1, 0, 0, 254, 3, 0, 1, 0, 0, 0, 0], over: 2)
        try table.add(NetlinkMessage.split(bytes[...])[0])
        #expect(table.defaultRoutes == [.ipv4(2)])
    }
}
