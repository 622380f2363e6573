import Foundation
import GatewayCore

/// A blocking connection to a dashboard that sends whatever a test wants.
final class PageClient {
    private let descriptor: Int32
    private var unread: [UInt8] = []

    /// Connects to a port of 127.0.0.1.
    ///
    /// - Parameter receiveBuffer: the size of the buffer of the system for what arrives, in bytes; `nil` for its default.
    init(port: UInt16, receiveBuffer: Int32? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        if var size = receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        }
        // A test that waits for what never comes fails instead of hanging.
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let code = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw NetworkError(.connectionRefused, "The port cannot be connected to.") }
    }

    deinit { close(descriptor) }

    /// Sends the head of a request.
    func request(_ line: String, _ fields: [String], version: String = "HTTP/1.1") {
        write((["\(line) \(version)"] + fields).joined(separator: "\r\n") + "\r\n\r\n")
    }

    /// Sends text.
    func write(_ text: String) {
        let bytes = Array(text.utf8)
        _ = bytes.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
    }

    /// Reads until a text has come, or until nothing more comes.
    ///
    /// - Returns: what has come, up to the end of the text; without it, all that has come.
    func read(until text: String) -> String {
        let mark = Array(text.utf8)
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while unread.firstRange(of: mark) == nil {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            unread.append(contentsOf: buffer.prefix(count))
        }
        let end = unread.firstRange(of: mark)?.upperBound ?? unread.count
        defer { unread.removeFirst(end) }
        return String(decoding: unread.prefix(end), as: UTF8.self)
    }

    /// The status of the next response, and its head; 0 if the connection ends without one.
    func head() -> (status: Int, text: String) {
        let text = read(until: "\r\n\r\n")
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0, text.lowercased())
    }

    /// Runs blocking work on a thread of its own.
    static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result(catching: work)) }
        }
    }
}
