import Foundation
import GatewayCore

@testable import GatewayNetworkMonitor

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// An HTTP server in a namespace, which answers each request with 200. A thread for each connection: it has few.
final class NamespaceServer: Sendable {
    struct StartError: Error {}

    static let port: UInt16 = 8_080
    private let listener: Int32

    /// - Parameter address: four bytes of an address of the namespace.
    init(in namespace: NetworkNamespace, address: [UInt8]) async throws {
        let descriptor = await namespace.run { () -> Int32 in
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = Self.port.bigEndian
            name.sin_addr.s_addr = address.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
            let isBound = withUnsafePointer(to: &name) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            guard isBound == 0, listen(descriptor, 1_024) == 0 else { return -1 }
            return descriptor
        }
        guard let descriptor, descriptor >= 0 else { throw StartError() }
        listener = descriptor
        Thread.detachNewThread {
            while true {
                let connection = accept(descriptor, nil, nil)
                guard connection >= 0 else { return }
                Thread.detachNewThread { Self.serve(connection) }
            }
        }
    }

    deinit {
        // Ends `accept`, which `close` does not.
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    private static func serve(_ connection: Int32) {
        defer { close(connection) }
        let response = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)
        var buffer = [UInt8](repeating: 0, count: 8_192)
        while true {
            // Requests of these tests come in one piece.
            guard recv(connection, &buffer, buffer.count, 0) > 0 else { return }
            guard send(connection, response, response.count, Int32(MSG_NOSIGNAL)) == response.count else {
                return
            }
        }
    }
}

extension NetworkNamespace {
    /// Runs something on a thread in the namespace. Threads that it starts are in the namespace, too.
    func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                guard enter() else { return continuation.resume(returning: nil) }
                let value = body()
                continuation.resume(returning: value)
            }
        }
    }
}
