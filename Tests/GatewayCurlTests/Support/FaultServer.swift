import CLibcurl  // Its headers may be what declares the constants of sockets.
import Foundation
import GatewayCore

/// A server that does exactly what a test says, byte by byte: each connection is handed to a closure on a thread
/// of its own.
final class FaultServer: Sendable {
    let port: UInt16
    private let listener: Int32
    private let isAccepting: Bool
    private let isSecure: Bool
    private let state = Locked(State())

    private struct State {
        var requests: [ReceivedRequest] = []
        var connections = 0
        var open: Set<Int32> = []
        var isStopped = false
    }

    /// Starts on a free loopback port, or on a socket of Unix.
    ///
    /// - Parameter identity: what it shows clients, to speak TLS.
    init(
        backlog: Int32 = 512, path: String? = nil, identity: ServerIdentity? = nil,
        _ handle: (@Sendable (FaultConnection) -> Void)? = nil
    ) {
        let (listener, port) =
            path.map { (Self.listen(path: $0, backlog: backlog), 0) } ?? Self.listen(backlog: backlog)
        (self.listener, self.port) = (listener, port)
        isSecure = identity != nil
        isAccepting = handle != nil
        guard let handle else { return }
        Thread.detachNewThread { [self] in
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else {
                    if errno == EMFILE {
                        usleep(1000)
                        continue
                    }
                    Foundation.close(listener)
                    return
                }
                let number = state.withLock { state -> Int? in
                    guard !state.isStopped else { return nil }
                    state.connections += 1
                    state.open.insert(descriptor)
                    return state.connections
                }
                guard let number else {
                    Foundation.close(descriptor)
                    continue
                }
                let connection = FaultConnection(descriptor: descriptor, number: number, server: self)
                Thread.detachNewThread {
                    if connection.greet(as: identity) { handle(connection) }
                    connection.close()
                }
            }
        }
    }

    /// Serves complete requests, one after another, until the client closes.
    convenience init(answer: @escaping @Sendable (ReceivedRequest) -> String) {
        self.init { connection in
            while let request = connection.readRequest() { connection.write(answer(request)) }
        }
    }

    var url: String { "http\(isSecure ? "s" : "")://127.0.0.1:\(port)" }
    var requests: [ReceivedRequest] { state.withLock { $0.requests } }
    var connectionCount: Int { state.withLock { $0.connections } }
    var openCount: Int { state.withLock { $0.open.count } }

    /// Ends every connection. A descriptor is closed by the thread that uses it, and by no other: its number may
    /// be another test's a moment later.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            for descriptor in state.open { shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
        shutdown(listener, Int32(SHUT_RDWR))
        if !isAccepting { Foundation.close(listener) }
    }

    fileprivate func note(_ request: ReceivedRequest) { state.withLock { $0.requests.append(request) } }
    fileprivate func close(connection descriptor: Int32) {
        state.withLock { state in
            state.open.remove(descriptor)
            _ = Foundation.close(descriptor)
        }
    }

    /// A listening socket on a free loopback port.
    static func listen(backlog: Int32) -> (descriptor: Int32, port: UInt16) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                precondition(bind(listener, address, length) == 0)
                precondition(getsockname(listener, address, &length) == 0)
            }
        }
        precondition(Foundation.listen(listener, backlog) == 0)
        return (listener, UInt16(bigEndian: address.sin_port))
    }

    /// A listening socket of Unix.
    private static func listen(path: String, backlog: Int32) -> Int32 {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8) + [0]) }
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        precondition(bound == 0 && Foundation.listen(listener, backlog) == 0)
        return listener
    }

    /// A loopback port on which nobody listens.
    static func unusedPort() -> UInt16 {
        let (descriptor, port) = listen(backlog: 1)
        Foundation.close(descriptor)
        return port
    }
}

/// A request as it came in.
struct ReceivedRequest: Sendable {
    let connection: Int
    let line: String
    let fields: [String]
    let body: [UInt8]

    /// The value of a field, by its name in lower case.
    func value(_ name: String) -> String? {
        for field in fields where field.lowercased().hasPrefix(name + ":") {
            return String(field.dropFirst(name.count + 1).drop { $0 == " " })
        }
        return nil
    }
    var text: String { String(decoding: body, as: UTF8.self) }
}

/// One connection of a ``FaultServer``. Used on one thread.
final class FaultConnection: @unchecked Sendable {
    let descriptor: Int32
    let number: Int
    let server: FaultServer
    private var buffer: [UInt8] = []
    private var isOpen = true
    private var session: ServerSession?

    init(descriptor: Int32, number: Int, server: FaultServer) {
        (self.descriptor, self.number, self.server) = (descriptor, number, server)
    }

    /// Begins a session of TLS, if there is an identity; `false` where that fails.
    fileprivate func greet(as identity: ServerIdentity?) -> Bool {
        session = identity?.accept(descriptor)
        return (session == nil) == (identity == nil)
    }

    /// Reads a whole request; `nil` when the client has closed.
    func readRequest() -> ReceivedRequest? {
        guard let head = readHead() else { return nil }
        let length = head.value("content-length").flatMap { Int($0) }
        var body: [UInt8] = []
        if head.value("transfer-encoding") == "chunked" {
            guard let chunked = readChunks() else { return nil }
            body = chunked
        } else if let length {
            guard let bytes = readBytes(length) else { return nil }
            body = bytes
        }
        let request = ReceivedRequest(connection: number, line: head.line, fields: head.fields, body: body)
        server.note(request)
        return request
    }

    /// Reads up to the empty line, and leaves the body unread.
    func readHead() -> ReceivedRequest? {
        while true {
            if let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) {
                let lines = String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
                    .components(separatedBy: "\r\n")
                buffer.removeSubrange(..<end.upperBound)
                return ReceivedRequest(
                    connection: number, line: lines[0], fields: Array(lines.dropFirst()), body: [])
            }
            guard fill() else { return nil }
        }
    }

    func readBytes(_ count: Int) -> [UInt8]? {
        while buffer.count < count { guard fill() else { return nil } }
        defer { buffer.removeSubrange(..<count) }
        return Array(buffer[..<count])
    }

    private func readLine() -> String? {
        while true {
            if let end = buffer.firstRange(of: [0x0D, 0x0A]) {
                defer { buffer.removeSubrange(..<end.upperBound) }
                return String(decoding: buffer[..<end.lowerBound], as: UTF8.self)
            }
            guard fill() else { return nil }
        }
    }

    private func readChunks() -> [UInt8]? {
        var body: [UInt8] = []
        while true {
            guard let line = readLine(), let size = Int(line, radix: 16), let bytes = readBytes(size),
                readLine() != nil
            else { return nil }
            if size == 0 { return body }
            body += bytes
        }
    }

    private func fill() -> Bool {
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = session?.read(&piece) ?? recv(descriptor, &piece, piece.count, 0)
        guard count > 0 else { return false }
        buffer += piece[..<count]
        return true
    }

    func write(_ text: String) { write(Array(text.utf8)) }

    func write(_ bytes: [UInt8]) {
        if let session { return session.write(bytes) }
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(descriptor, $0.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Whether the client has resumed a session of TLS.
    var isResumed: Bool { session?.isResumed ?? false }

    /// Ends the session of TLS, and leaves the connection open.
    func endSession() { session?.end() }

    /// Returns when the client's system has what was written.
    func waitForAcknowledgement() {
        var unacknowledged: Int32 = 1
        while ioctl(descriptor, UInt(TIOCOUTQ), &unacknowledged) == 0, unacknowledged > 0 { usleep(100) }
    }

    /// Returns when the client has closed.
    func waitForClose() { while fill() { buffer.removeAll() } }

    /// Says that nothing more comes, and goes on reading.
    func endWriting() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Closes with RST instead of FIN.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    func close() {
        guard isOpen else { return }
        isOpen = false
        server.close(connection: descriptor)
    }
}
