import CLibcurl  // Its headers may be what declares the constants of sockets.
import Foundation
import GatewayCore
import GatewayCurl

/// A socket on port 53 of a loopback address that never answers, and transports whose resolver asks it alone.
final class SilentNameServer: @unchecked Sendable {
    /// One for each process: several may run at once.
    private static let address = "127.53.\(getpid() >> 8 & 0xFF).\(getpid() & 0xFF)"

    private let descriptor: Int32

    /// `nil` where the port cannot be had.
    init?() {
        descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(53).bigEndian
        inet_pton(AF_INET, Self.address, &address.sin_addr)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else {
            close(descriptor)
            return nil
        }
    }

    deinit { close(descriptor) }

    /// Whether a question has come in.
    var hasBeenAsked: Bool {
        var socket = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&socket, 1, 0) == 1
    }

    /// A transport whose threads see another `/etc/resolv.conf`.
    func transport(_ change: @escaping @Sendable (inout CurlConfiguration) -> Void) -> CurlTransport? {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try? Data("nameserver \(Self.address)\noptions timeout:30 attempts:1\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        return MountNamespace.transport(showing: file.path, at: "/etc/resolv.conf", change)
    }
}
