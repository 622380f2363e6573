import Testing

@testable import GatewayNetworkMonitor

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// `network.dump-after-loss`: dumps of a kernel whose answers are written before they are asked for.
@Suite struct NetlinkDumpTests {
    private static let multi: UInt16 = 0x2
    private static let interrupted: UInt16 = 0x10
    private static let done: UInt16 = 3
    private static let error: UInt16 = 2

    /// The dumps of links, addresses and routes of a machine with one interface: each has two messages and an end.
    private static func machine(_ number: UInt8) -> [ScriptedKernel.Dump] {
        let link = Int32(number)
        func linkMessage(_ index: Int32, _ name: String) -> [UInt8] {
            NetlinkSample.message(
                16,
                [0, 0] + NetlinkSample.bytes(UInt16(1)) + NetlinkSample.bytes(index)
                    + NetlinkSample.bytes(NetworkTable.Link.liveFlags) + [0, 0, 0, 0]
                    + NetlinkSample.attribute(3, Array("\(name)\0".utf8)))
        }
        func address(_ third: UInt8) -> [UInt8] {
            NetlinkSample.message(
                20,
                [2, 24, 0x80, 0] + NetlinkSample.bytes(link)
                    + NetlinkSample.attribute(2, [10, 0, third, number]))
        }
        let routes = [UInt8(2), 10].map {
            NetlinkSample.route([$0, 0, 0, 0, 254, 3, 0, 1, 0, 0, 0, 0], over: link)
        }
        let end = NetlinkSample.message(done, NetlinkSample.bytes(Int32(0)))
        return [
            [linkMessage(link, "test\(number)"), linkMessage(100, "test100"), end],
            [address(1), address(2), end], routes + [end],
        ]
    }

    private static func table(of number: UInt8) -> NetworkTable {
        let link = Int32(number)
        return NetworkTable(
            links: [link: .link(link, "test\(number)"), 100: .link(100, "test100")],
            addresses: [.ipv4(link, 10, 0, 1, number), .ipv4(link, 10, 0, 2, number)],
            defaultRoutes: [.ipv4(link), .ipv6(link)])
    }

    /// What was read before is not used: neither the interrupted table nor those before it.
    @Test(arguments: 0..<3, 0..<3)
    func anInterruptedDumpIsRepeated(table: Int, message: Int) throws {
        var dumps = Self.machine(1)
        NetlinkSample.stamp(&dumps[table][message], flags: Self.multi | Self.interrupted, sequence: 0)
        let kernel = ScriptedKernel()
        try kernel.answer(Array(dumps[...table]))
        try kernel.answer(Self.machine(2))
        var dump = kernel.dump()
        #expect(try dump.read() == Self.table(of: 2))
        #expect(dump.repetitions == 1 && kernel.openedCount == 2)
    }

    @Test func tablesThatChangeDuringEachDumpAreNotRead() throws {
        let kernel = ScriptedKernel()
        for _ in 0..<8 {
            var dumps = Self.machine(1)
            NetlinkSample.stamp(&dumps[2][2], flags: Self.multi | Self.interrupted, sequence: 0)
            try kernel.answer(dumps)
        }
        var dump = kernel.dump()
        do {
            _ = try dump.read()
            Issue.record("a table of interrupted dumps")
        } catch NetlinkDump.Failure.inconsistent {
        } catch { Issue.record(error) }
        #expect(kernel.openedCount == 8)
    }

    enum Half: CaseIterable { case withoutEnd, malformed, longerThanTheBuffer }

    @Test(arguments: Half.allCases, 0..<3)
    func halfADumpIsRepeated(half: Half, table: Int) throws {
        var dumps = Array(Self.machine(1)[...table])
        switch half {
        case .withoutEnd: dumps[table].removeLast()
        case .malformed: dumps[table][1].removeLast(3)
        case .longerThanTheBuffer:
            dumps[table][1] = NetlinkSample.message(16, [UInt8](repeating: 0, count: 256))
        }
        let kernel = ScriptedKernel()
        try kernel.answer(dumps)
        try kernel.answer(Self.machine(2))
        var dump = kernel.dump(bufferBytes: 128)
        #expect(try dump.read() == Self.table(of: 2))
        #expect(dump.repetitions == 1)
    }

    /// The end of a dump that another request began is not the end of this one.
    @Test func messagesOfOtherRequestsAreIgnored() throws {
        var dumps = Self.machine(2)
        for table in dumps.indices {
            for var other in Self.machine(1)[table] {
                NetlinkSample.stamp(&other, flags: Self.multi | Self.interrupted, sequence: 99)
                dumps[table].insert(other, at: 1)
            }
        }
        let kernel = ScriptedKernel()
        try kernel.answer(dumps)
        var dump = kernel.dump()
        #expect(try dump.read() == Self.table(of: 2))
        #expect(dump.repetitions == 0)
    }

    @Test func aRefusalIsNotRepeated() throws {
        let kernel = ScriptedKernel()
        try kernel.answer([[NetlinkSample.message(Self.error, NetlinkSample.bytes(Int32(-1)))]])
        var dump = kernel.dump()
        do {
            _ = try dump.read()
            Issue.record("a table of a kernel that refuses")
        } catch NetlinkDump.Failure.refused(1) {
        } catch { Issue.record(error) }
        #expect(kernel.openedCount == 1)
    }
}

/// Pairs of sockets in place of netlink, with answers in them.
private final class ScriptedKernel {
    /// The datagrams that answer one request. Those with the sequence number 0 or 7 get that of the request.
    typealias Dump = [[UInt8]]

    private var sockets: [(own: Int32, peer: Int32)] = []
    private var sequence: UInt32 = 0
    private(set) var openedCount = 0

    /// Makes the next socket, and writes the answers to the first requests that are sent on it.
    func answer(_ dumps: [Dump]) throws {
        var ends: [Int32] = [-1, -1]
        // Datagrams in order, as netlink has them.
        let type = SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        try #require(socketpair(AF_UNIX, Int32(type), 0, &ends) == 0)
        sockets.append((ends[0], ends[1]))
        for dump in dumps {
            sequence += 1
            for var datagram in dump {
                let given = datagram[8..<12].integer(UInt32.self, at: 0)
                if given == 0 || given == 7 {
                    datagram.replaceSubrange(8..<12, with: NetlinkSample.bytes(sequence))
                }
                try #require(send(ends[1], datagram, datagram.count, 0) == datagram.count)
            }
        }
    }

    func dump(bufferBytes: Int = 4_096) -> NetlinkDump {
        NetlinkDump(bufferBytes: bufferBytes) { () throws(NetlinkSocket.Failure) in
            guard self.openedCount < self.sockets.count else {
                throw NetlinkSocket.Failure(call: "socket", number: EMFILE)
            }
            defer { self.openedCount += 1 }
            return NetlinkSocket(descriptor: self.sockets[self.openedCount].own)
        }
    }

    deinit {
        for (index, socket) in sockets.enumerated() {
            // The dump has closed those that it opened.
            if index >= openedCount { close(socket.own) }
            close(socket.peer)
        }
    }
}
