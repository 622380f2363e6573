import CBenchServer
import Foundation
import Testing

@Suite struct BenchServerTests {
    /// The kernel reports events of a closed descriptor as long as a child process has a copy of it, which each child has
    /// between fork and exec. A copy in this process has the same effect. The server must not use the connection, which
    /// it has freed.
    @Test func aClosedConnectionIsNotUsed() throws {
        let port = bench_server_start("{}", 2)
        try #require(port > 0)
        let client = try connection(to: port)
        try #require(exchange(client).hasSuffix("{}"))
        let server = try #require(try descriptor(ofServerFor: client))
        let copy = dup(server)
        defer { close(copy) }
        close(client)
        for _ in 0..<100 {
            let other = try connection(to: port)
            defer { close(other) }
            try #require(exchange(other).hasSuffix("{}"))
        }
    }

    private func connection(to port: Int32) throws -> Int32 {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(client, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        try #require(isConnected)
        return client
    }

    /// The response to a request, or an empty text.
    private func exchange(_ client: Int32) -> String {
        let request = "GET /small HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
        guard send(client, request, request.utf8.count, Int32(MSG_NOSIGNAL)) > 0 else { return "" }
        var answer = [UInt8](repeating: 0, count: 1024)
        var count = recv(client, &answer, answer.count, 0)
        // A process that was stopped has been interrupted, since the socket has a limit (signal(7)).
        while count < 0, errno == EINTR { count = recv(client, &answer, answer.count, 0) }
        return String(decoding: answer[..<max(0, count)], as: UTF8.self)
    }

    /// The descriptor of the server for a connection: its peer is the address of the client.
    private func descriptor(ofServerFor client: Int32) throws -> Int32? {
        let port = Self.port(of: client, getsockname)
        return try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }
            .first { Self.port(of: $0, getpeername) == port }
    }

    private static func port(
        of descriptor: Int32,
        _ name: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> UInt16? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name(descriptor, $0, &length) }
        }
        return code == 0 && address.sin_family == sa_family_t(AF_INET) ? address.sin_port : nil
    }
}
