import CNetlink
private import GatewayLibC

/// Reads the links, addresses and routes of the network namespace of this thread.
struct NetlinkDump: ~Copyable {
    /// Why there is no table.
    enum Failure: Error {
        case system(NetlinkSocket.Failure)
        /// The kernel refused the request, with this error number.
        case refused(Int32)
        /// The tables changed during every one of several dumps, or messages were truncated.
        case inconsistent
    }

    private static let attempts = 8
    private static let largestBuffer = 4 << 20

    private let open: () throws(NetlinkSocket.Failure) -> NetlinkSocket
    private var buffer: [UInt8]
    private var sequence: UInt32 = 0
    /// How many dumps had to be repeated.
    private(set) var repetitions = 0

    /// - Parameters:
    ///   - bufferBytes: the size of the buffer. It grows when a message is longer.
    ///   - open: opens the socket of each attempt.
    init(
        bufferBytes: Int = 64 << 10,
        open: @escaping () throws(NetlinkSocket.Failure) -> NetlinkSocket = {
            () throws(NetlinkSocket.Failure) in try NetlinkSocket()
        }
    ) {
        self.open = open
        buffer = Array(repeating: 0, count: max(1, bufferBytes))
    }

    /// Reads the tables. A dump that was truncated, lost messages, or was interrupted by a change is repeated.
    mutating func read() throws(Failure) -> NetworkTable {
        for _ in 0..<Self.attempts {
            if let table = try readOnce() { return table }
            repetitions += 1
        }
        throw .inconsistent
    }

    private mutating func readOnce() throws(Failure) -> NetworkTable? {
        do {
            var table = NetworkTable()
            // A socket of its own for each: the rest of a dump that was given up must not be read by the next.
            let socket = try open()
            for request in [RTM_GETLINK, RTM_GETADDR, RTM_GETROUTE] {
                sequence &+= 1
                try socket.send(Self.request(UInt16(request), sequence: sequence))
                guard try collect(into: &table, from: socket) else { return nil }
            }
            for index in table.links.keys {
                guard let name = table.links[index]?.name else { continue }
                table.links[index]?.deviceType = SystemDevices.type(of: name)
            }
            return table
        } catch let failure as NetlinkSocket.Failure {
            throw .system(failure)
        } catch let failure as Failure {
            throw failure
        } catch {
            // Malformed.
            return nil
        }
    }

    /// Reads until the end of a dump. Returns `false` if the dump is not usable.
    private mutating func collect(into table: inout NetworkTable, from socket: borrowing NetlinkSocket) throws
        -> Bool
    {
        var isConsistent = true
        while true {
            switch try socket.receive(into: &buffer) {
            case .truncated:
                if buffer.count < Self.largestBuffer { buffer = Array(repeating: 0, count: buffer.count * 2) }
                return false
            case .lost, .none: return false
            case .bytes(let bytes):
                for message in try NetlinkMessage.split(bytes) where message.sequence == sequence {
                    if message.flags & UInt16(NLM_F_DUMP_INTR) != 0 { isConsistent = false }
                    switch Int32(message.type) {
                    case NLMSG_DONE: return isConsistent
                    case NLMSG_ERROR:
                        throw Failure.refused(message.payload.integer(Int32.self, at: 0).map { 0 &- $0 } ?? 0)
                    default: try table.add(message)
                    }
                }
            }
        }
    }

    /// `nlmsghdr` and `rtgenmsg`, padded to `ifinfomsg`.
    private static func request(_ type: UInt16, sequence: UInt32) -> [UInt8] {
        var header = nlmsghdr()
        header.nlmsg_len = 32
        header.nlmsg_type = type
        header.nlmsg_flags = UInt16(NLM_F_REQUEST | 0x100 | 0x200)
        header.nlmsg_seq = sequence
        let bytes = unsafe withUnsafeBytes(of: header) { unsafe Array($0) }
        return bytes + [UInt8](repeating: 0, count: 16)
    }
}

/// What sysfs says of interfaces.
enum SystemDevices {
    /// `DEVTYPE` of an interface, such as `wlan`; `nil` without one, or without sysfs.
    static func type(of name: String) -> String? {
        guard !name.contains("/"), name != ".", name != ".." else { return nil }
        guard let file = unsafe fopen("/sys/class/net/\(name)/uevent", "re") else { return nil }
        defer { unsafe fclose(file) }
        var buffer = [UInt8](repeating: 0, count: 1_024)
        let count = unsafe fread(&buffer, 1, buffer.count, file)
        for line in String(decoding: buffer[..<count], as: UTF8.self).split(separator: "\n")
        where line.hasPrefix("DEVTYPE=") {
            return String(line.dropFirst("DEVTYPE=".count))
        }
        return nil
    }
}
