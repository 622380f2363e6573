import Foundation
import GatewayCore

@testable import GatewayNetworkMonitor

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A server in a namespace. A thread for each connection: it has few.
final class NamespaceServer: Sendable {
    struct StartError: Error {}

    /// What a server does with a connection until it ends. The connection is closed afterwards.
    typealias Service = @Sendable (Int32) -> Void

    static let port: UInt16 = 8_080
    private let listener: Int32

    /// - Parameters:
    ///   - address: the bytes of an address of the namespace: 4 of IPv4, 16 of IPv6.
    ///   - service: by default each request is answered with 200.
    init(
        in namespace: NetworkNamespace, address: [UInt8], port: UInt16 = port,
        service: @escaping Service = answer
    ) async throws {
        let descriptor = await namespace.run { () -> Int32 in
            let family = address.count == 4 ? AF_INET : AF_INET6
            let descriptor = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            let isBound = SocketAddress.with(address, port: port) { bind(descriptor, $0, $1) }
            guard isBound == 0, listen(descriptor, 1_024) == 0 else { return -1 }
            return descriptor
        }
        guard let descriptor, descriptor >= 0 else { throw StartError() }
        listener = descriptor
        await namespace.run {
            // Threads that a thread of the namespace starts are in it, too.
            Thread.detachNewThread {
                while true {
                    let connection = accept(descriptor, nil, nil)
                    guard connection >= 0 else { return }
                    Thread.detachNewThread {
                        service(connection)
                        close(connection)
                    }
                }
            }
        }
    }

    deinit {
        // Ends `accept`, which `close` does not.
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    /// Answers each request with 200.
    static let answer: Service = { connection in
        let response = Array("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok".utf8)
        // Requests of these tests come in one piece.
        while receive(connection) != nil, deliver(response, to: connection) {}
    }

    /// Reads and forgets.
    static let discard: Service = { connection in while receive(connection) != nil {} }

    /// Passes bytes on to a port of the namespace's loopback interface, and back.
    static func relay(to port: UInt16) -> Service {
        { connection in
            let target = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
            defer { close(target) }
            guard SocketAddress.with([127, 0, 0, 1], port: port, { connect(target, $0, $1) }) == 0 else {
                return
            }
            let isOver = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                while let bytes = receive(target), deliver(bytes, to: connection) {}
                shutdown(connection, Int32(SHUT_RDWR))
                isOver.signal()
            }
            while let bytes = receive(connection), deliver(bytes, to: target) {}
            shutdown(target, Int32(SHUT_RDWR))
            isOver.wait()
        }
    }

    /// What comes next; `nil` at the end.
    static func receive(_ connection: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 8_192)
        let count = recv(connection, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }

    /// Sends bytes; `false` if the connection is over.
    static func deliver(_ bytes: [UInt8], to connection: Int32) -> Bool {
        send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }
}

enum SocketAddress {
    /// Makes an address for a call of the system, of 4 bytes of IPv4 or 16 of IPv6.
    static func with(
        _ address: [UInt8], port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        guard address.count == 4 else { return with6(address, port: port, body) }
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = port.bigEndian
        name.sin_addr.s_addr = address.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
        return withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    private static func with6(
        _ address: [UInt8], port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var name = sockaddr_in6()
        name.sin6_family = sa_family_t(AF_INET6)
        name.sin6_port = port.bigEndian
        withUnsafeMutableBytes(of: &name.sin6_addr) { $0.copyBytes(from: address.prefix(16)) }
        return withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
    }
}

extension NetworkNamespace {
    /// Runs something on a thread in the namespace. Threads that it starts are in the namespace, too.
    @discardableResult
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
