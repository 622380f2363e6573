import Foundation
import GatewayCore

/// A blocking TCP connection to 127.0.0.1, which sees what a client's library would hide.
final class RawConnection {
    enum Failure: Error, Equatable { case refused, other(Int32) }

    let descriptor: Int32
    private var received: [UInt8] = []

    convenience init(port: UInt16) throws {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        try self.init(AF_INET, address)
    }

    /// A connection to a Unix domain socket.
    convenience init(path: String) throws {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        try self.init(AF_UNIX, address)
    }

    private init<Address>(_ family: Int32, _ address: Address) throws {
        descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        let result = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
            }
        }
        if result != 0 {
            let code = errno
            // deinit closes the socket.
            throw code == ECONNREFUSED ? Failure.refused : Failure.other(code)
        }
        // A test that waits for what never comes fails instead of hanging.
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    func write(_ text: String) { write(Array(text.utf8)) }

    func write(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count <= 0 { return }
            sent += count
        }
    }

    /// How the connection was found when there was nothing more to read.
    enum End: Equatable { case closed, reset, failed(Int32) }

    private func readMore() -> End? {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count > 0 {
            received += buffer[..<count]
            return nil
        }
        if count == 0 { return .closed }
        return errno == ECONNRESET ? .reset : .failed(errno)
    }

    /// Reads up to a text and takes what was read; what came, and how the connection ended if it did.
    func read(through mark: String) -> (text: String, end: End?) {
        let mark = Array(mark.utf8)
        while true {
            if let found = received.firstRange(of: mark) {
                defer { received.removeFirst(found.upperBound) }
                return (String(decoding: received[..<found.upperBound], as: UTF8.self), nil)
            }
            if let end = readMore() { return (String(decoding: received, as: UTF8.self), end) }
        }
    }

    /// Reads one response.
    func response(toHead: Bool = false) -> RawResponse {
        var response = RawResponse()
        let separator = Array("\r\n\r\n".utf8)
        var headEnd = received.firstRange(of: separator)
        while headEnd == nil {
            if let end = readMore() {
                response.end = end
                response.hasNoByte = received.isEmpty
                return response
            }
            headEnd = received.firstRange(of: separator)
        }
        guard let headEnd else { return response }
        response.readHead(String(decoding: received[..<headEnd.lowerBound], as: UTF8.self))
        received.removeFirst(headEnd.upperBound)
        let length = toHead || [204, 304].contains(response.status) ? 0 : response.contentLength
        while received.count < length {
            if let end = readMore() {
                response.end = end
                break
            }
        }
        response.body = Array(received.prefix(length))
        received.removeFirst(response.body.count)
        response.isComplete = response.body.count == length
        return response
    }
}

/// A response as it came over the wire.
struct RawResponse {
    var status = 0
    var fields: [String: String] = [:]
    var body: [UInt8] = []
    var isComplete = false
    var hasNoByte = false
    var end: RawConnection.End?

    var text: String { String(decoding: body, as: UTF8.self) }
    var contentLength: Int { fields["content-length"].flatMap { Int($0) } ?? 0 }

    mutating func readHead(_ head: String) {
        let lines = head.components(separatedBy: "\r\n")
        status = Int(lines[0].split(separator: " ")[1]) ?? 0
        for line in lines.dropFirst() {
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            fields[line[..<colon].lowercased()] = String(line[colon...].dropFirst())
                .trimmingCharacters(in: .whitespaces)
        }
    }
}
