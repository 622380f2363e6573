private import GatewayLibC

/// An address that can stop and restart listening.
///
/// A second socket stays bound to a port without listening, so that no other process gets the port.
final class ListeningSocket {
    /// The address, with the number of the port.
    let address: HTTPListener.Address
    private let reservation: Int32?
    /// The listening socket; `nil` while connections are refused.
    private(set) var descriptor: Int32?
    /// The file of the listening Unix domain socket.
    private var file: SocketFile?

    /// Reserves an address.
    init(_ address: HTTPListener.Address) throws(HTTPListener.StartError) {
        guard case .loopback(let port) = address else {
            self.address = address
            reservation = nil
            return
        }
        let reservation = try Self.boundSocket(port: port)
        self.reservation = reservation
        var name = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let found = unsafe withUnsafeMutablePointer(to: &name) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(reservation, $0, &length)
            }
        }
        self.address = .loopback(port: UInt16(bigEndian: name.sin_port))
        guard found == 0 else {
            throw HTTPListener.StartError("The port's number cannot be read", code: errno)
        }
    }

    deinit {
        refuse()
        file?.remove()
        if let reservation { Self.discard(reservation) }
    }

    /// Starts listening, if necessary.
    func open() throws(HTTPListener.StartError) {
        guard descriptor == nil else { return }
        switch address {
        case .loopback(let port):
            let socket = try Self.boundSocket(port: port)
            guard listen(socket, SOMAXCONN) == 0 else {
                let code = errno
                Self.discard(socket)
                throw HTTPListener.StartError("\(address) cannot be listened on", code: code)
            }
            descriptor = socket
        case .unix(let path):
            let socket = try Self.socket(AF_UNIX)
            do throws(HTTPListener.StartError) {
                file = try SocketFile(path: path, listening: socket)
            } catch {
                Self.discard(socket)
                throw error
            }
            descriptor = socket
        }
    }

    /// Stops listening. `shutdown` takes effect immediately, even while another thread polls the socket.
    func refuse() {
        guard let descriptor else { return }
        _ = shutdown(descriptor, Int32(SHUT_RDWR))
        Self.discard(descriptor)
        self.descriptor = nil
    }

    private static func discard(_ descriptor: Int32) {
        _ = GatewayLibC.close(descriptor)
    }

    private static func socket(_ family: Int32) throws(HTTPListener.StartError) -> Int32 {
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = GatewayLibC.socket(family, flags, 0)
        guard descriptor >= 0 else {
            throw HTTPListener.StartError("No socket could be made", code: errno)
        }
        return descriptor
    }

    private static func boundSocket(port: UInt16) throws(HTTPListener.StartError) -> Int32 {
        let descriptor = try socket(AF_INET)
        // Allows the listening socket to share the port with the reservation and with old connections.
        var yes: Int32 = 1
        _ = unsafe setsockopt(
            descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let code = errno
            discard(descriptor)
            throw HTTPListener.StartError(
                port == 0 ? "No port of 127.0.0.1 can be bound" : "127.0.0.1:\(port) cannot be bound",
                code: code)
        }
        return descriptor
    }
}
