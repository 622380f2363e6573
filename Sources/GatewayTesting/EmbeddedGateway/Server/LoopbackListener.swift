private import GatewayLibC

/// A port of 127.0.0.1 that can stop and restart listening.
///
/// A second socket stays bound to the port without listening, so that no other process gets the port.
final class LoopbackListener {
    let port: UInt16
    private let reservation: Int32
    /// The listening socket; `nil` while connections are refused.
    private(set) var descriptor: Int32?

    /// Reserves a port.
    ///
    /// - Parameter port: the port; 0 for any free one.
    init(port: UInt16) throws(EmbeddedGateway.StartError) {
        let reservation = try Self.boundSocket(port: port)
        self.reservation = reservation
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let found = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getsockname(reservation, $0, &length)
            }
        }
        self.port = UInt16(bigEndian: address.sin_port)
        guard found == 0 else {
            throw EmbeddedGateway.StartError("The port's number cannot be read", code: errno)
        }
    }

    deinit {
        if let descriptor { Self.discard(descriptor) }
        Self.discard(reservation)
    }

    /// Starts listening, if necessary.
    func open() throws(EmbeddedGateway.StartError) {
        guard descriptor == nil else { return }
        let socket = try Self.boundSocket(port: port)
        guard listen(socket, SOMAXCONN) == 0 else {
            let code = errno
            Self.discard(socket)
            throw EmbeddedGateway.StartError("127.0.0.1:\(port) cannot be listened on", code: code)
        }
        descriptor = socket
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

    private static func boundSocket(port: UInt16) throws(EmbeddedGateway.StartError) -> Int32 {
        let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_INET, flags, 0)
        guard descriptor >= 0 else {
            throw EmbeddedGateway.StartError("No socket could be made", code: errno)
        }
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
            throw EmbeddedGateway.StartError(
                port == 0 ? "No port of 127.0.0.1 can be bound" : "127.0.0.1:\(port) cannot be bound",
                code: code)
        }
        return descriptor
    }
}
