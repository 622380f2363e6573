import Foundation
import GatewayCore

/// A server on 127.0.0.1 that handles each connection on a thread of its own.
final class ByteServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let connections = Locked(0)

    /// How many connections it has accepted.
    var connectionCount: Int { connections.withLock { $0 } }

    init(_ handle: @escaping @Sendable (_ descriptor: Int32) -> Void) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 128) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(.EADDRINUSE) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [self] in
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else {
                    close(listener)
                    return
                }
                connections.withLock { $0 += 1 }
                Thread.detachNewThread {
                    handle(descriptor)
                    close(descriptor)
                }
            }
        }
    }

    func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

    /// Sends back what it reads, and its end.
    static func echo() throws -> ByteServer {
        try ByteServer { descriptor in
            var bytes = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = recv(descriptor, &bytes, bytes.count, 0)
                guard count > 0, send(bytes[..<count], descriptor) else { return }
            }
        }
    }

    /// Answers every request with 200 and the body `ok`.
    static func http() throws -> ByteServer {
        try ByteServer { descriptor in
            var received: [UInt8] = []
            var bytes = [UInt8](repeating: 0, count: 65_536)
            while true {
                let count = recv(descriptor, &bytes, bytes.count, 0)
                guard count > 0 else { return }
                received += bytes[..<count]
                while let end = received.firstRange(of: Array("\r\n\r\n".utf8)) {
                    received.removeSubrange(..<end.upperBound)
                    let response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
                    guard send(Array(response.utf8)[...], descriptor) else { return }
                }
            }
        }
    }

    @discardableResult
    static func send(_ bytes: ArraySlice<UInt8>, _ descriptor: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

extension RawConnection {
    /// What came of reading.
    struct Reading: Equatable {
        var bytes: [UInt8] = []
        /// How the connection ended, if it did.
        var end: End?
        /// Whether nothing came for the time limit.
        var isSilent = false
    }

    /// Reads until so many bytes are there, the connection ends, or nothing comes for a time.
    func read(_ count: Int = .max, within milliseconds: Int = 20_000) -> Reading {
        var limit = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var reading = Reading()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while reading.bytes.count < count {
            let received = recv(descriptor, &buffer, min(buffer.count, count - reading.bytes.count), 0)
            if received > 0 {
                reading.bytes += buffer[..<received]
            } else {
                let code = errno
                if received < 0, code == EAGAIN {
                    reading.isSilent = true
                } else {
                    reading.end = received == 0 ? .closed : code == ECONNRESET ? .reset : .failed(code)
                }
                return reading
            }
        }
        return reading
    }

    /// Ends the sending side.
    func endWriting() { shutdown(descriptor, Int32(SHUT_WR)) }
}
