import CNetlink
private import GatewayLibC

/// A netlink socket, which is closed with its owner.
struct NetlinkSocket: ~Copyable {
    /// A call of the system that failed.
    struct Failure: Error {
        let call: StaticString
        let number: Int32
    }

    /// What a read returned.
    enum Reading {
        case bytes(ArraySlice<UInt8>)
        /// The message was longer than the buffer.
        case truncated
        /// The kernel dropped messages (`ENOBUFS`).
        case lost
        /// There is nothing to read now.
        case none
    }

    let descriptor: Int32

    /// Takes a socket that does not block and is open. Tests answer at its other end.
    init(descriptor: Int32) { self.descriptor = descriptor }

    /// Opens a socket that does not block.
    ///
    /// - Parameters:
    ///   - groups: the multicast groups, as a mask.
    ///   - bufferBytes: the size of the receive buffer; `nil` for the system's.
    init(groups: UInt32 = 0, bufferBytes: Int32? = nil) throws(Failure) {
        let type = Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        descriptor = socket(AF_NETLINK, type, NETLINK_ROUTE)
        guard descriptor >= 0 else { throw Failure(call: "socket", number: errno) }
        if var bytes = bufferBytes {
            let size = socklen_t(MemoryLayout<Int32>.size)
            _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &bytes, size)
        }
        var address = sockaddr_nl()
        address.nl_family = sa_family_t(AF_NETLINK)
        address.nl_groups = groups
        let length = socklen_t(MemoryLayout<sockaddr_nl>.size)
        let isBound = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, length)
            }
        }
        guard isBound == 0 else {
            let number = errno
            _ = close(descriptor)
            throw Failure(call: "bind", number: number)
        }
    }

    deinit { _ = close(descriptor) }

    func send(_ bytes: [UInt8]) throws(Failure) {
        let count = unsafe bytes.withUnsafeBytes {
            unsafe GatewayLibC.send(descriptor, $0.baseAddress, $0.count, 0)
        }
        guard count == bytes.count else { throw Failure(call: "send", number: errno) }
    }

    /// Reads one datagram into the buffer.
    func receive(into buffer: inout [UInt8]) throws(Failure) -> Reading {
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes {
                unsafe recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_TRUNC))
            }
            if count > buffer.count { return .truncated }
            if count >= 0 { return .bytes(buffer[..<count]) }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .none
            case ENOBUFS: return .lost
            case let number: throw Failure(call: "recv", number: number)
            }
        }
    }
}
