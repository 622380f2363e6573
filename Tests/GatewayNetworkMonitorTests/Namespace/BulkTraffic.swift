import Foundation
import GatewayCore

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A connection that sends as much as the link takes: the queue in front of a slow link is then never empty.
final class BulkTraffic: Sendable {
    /// The port of a server that discards what it reads.
    static let port: UInt16 = 9_000

    private let descriptor: Int32

    /// - Parameter queueBytes: about how many bytes wait in front of the link at most.
    init?(from namespace: NetworkNamespace, to address: [UInt8], queueBytes: Int32) async {
        let connected = await namespace.run { () -> Int32 in
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var size = queueBytes
            setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
            let isConnected = SocketAddress.with(address, port: Self.port) { connect(descriptor, $0, $1) }
            return isConnected == 0 ? descriptor : -1
        }
        guard let connected, connected >= 0 else { return nil }
        descriptor = connected
        Thread.detachNewThread {
            let bytes = [UInt8](repeating: 0, count: 4_096)
            while send(connected, bytes, bytes.count, Int32(MSG_NOSIGNAL)) > 0 {}
        }
    }

    /// Ends the connection.
    func stop() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    deinit {
        stop()
        close(descriptor)
    }
}
