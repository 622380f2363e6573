import CLibcurl  // Its headers may be what declares the constants of sockets.
import Foundation
import GatewayCore

/// An HTTP/2 server for one connection that sends exactly the frames it is told to. OpenSSL's `s_server` does the TLS
/// and passes the bytes on.
final class HTTP2FaultServer {
    /// A frame (RFC 9113 §4.1).
    struct Frame: Sendable {
        var type: UInt8
        var flags: UInt8 = 0
        var stream: UInt32 = 0
        var payload: [UInt8] = []

        static let endsStream: UInt8 = 0x1

        /// The head of a response with status 200, with a length if one is given.
        static func head(stream: UInt32, length: Int? = nil, flags: UInt8 = 0) -> Frame {
            // `:status: 200` is entry 8 of the static table, `content-length` entry 28 (RFC 7541 §6).
            var block: [UInt8] = [0x88]
            if let length {
                let digits = Array(String(length).utf8)
                block += [0x0F, 0x0D, UInt8(digits.count)] + digits
            }
            return Frame(type: 0x1, flags: 0x4 | flags, stream: stream, payload: block)
        }
        static func data(_ text: String, stream: UInt32, flags: UInt8 = 0) -> Frame {
            Frame(type: 0x0, flags: flags, stream: stream, payload: Array(text.utf8))
        }
        static func reset(stream: UInt32, code: UInt8) -> Frame {
            Frame(type: 0x3, stream: stream, payload: [0, 0, 0, code])
        }
        /// The server processed streams up to `last` and no others.
        static func goAway(last: UInt8, code: UInt8) -> Frame {
            Frame(type: 0x7, payload: [0, 0, 0, last, 0, 0, 0, code])
        }

        var bytes: [UInt8] {
            [
                UInt8(payload.count >> 16 & 0xFF), UInt8(payload.count >> 8 & 0xFF),
                UInt8(payload.count & 0xFF),
                type, flags, UInt8(stream >> 24 & 0x7F), UInt8(stream >> 16 & 0xFF),
                UInt8(stream >> 8 & 0xFF),
                UInt8(stream & 0xFF),
            ] + payload
        }
    }

    let port: UInt16
    private let tls: TLSServer
    private let process: ChildProcess
    private let requests: Tally

    /// Answers each request with the frames that a closure gives for its stream, and ends the connection after that if
    /// `ends`.
    init(ends: Bool = false, _ answer: @escaping @Sendable (UInt32) -> [Frame]) throws {
        tls = try TLSServer()
        port = FaultServer.unusedPort()
        requests = Tally()
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &pair) == 0
        else { throw POSIXError(.EMFILE) }
        process = try ChildProcess(
            [
                TLSServer.openssl ?? "", "s_server", "-accept", "127.0.0.1:\(port)", "-cert", tls.certificate,
                "-key", tls.key, "-alpn", "h2", "-quiet", "-naccept", "1",
            ], io: pair[1])
        close(pair[1])
        let (descriptor, id, requests) = (pair[0], process.id, requests)
        Thread.detachNewThread {
            Self.serve(descriptor, requests, answer)
            if ends { kill(id, SIGKILL) }
            // Until the program has ended.
            var rest = [UInt8](repeating: 0, count: 4096)
            while recv(descriptor, &rest, rest.count, 0) > 0 {}
            close(descriptor)
        }
    }

    var url: String { "https://127.0.0.1:\(port)" }
    var certificate: String { tls.certificate }
    var requestCount: Int { requests.count }

    func stop() {
        process.stop()
        tls.stop()
    }

    private static func serve(_ descriptor: Int32, _ requests: Tally, _ answer: (UInt32) -> [Frame]) {
        guard read(descriptor, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8.count) != nil else { return }
        write(descriptor, [Frame(type: 0x4)])
        while let head = read(descriptor, 9) {
            let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            guard length == 0 || read(descriptor, length) != nil else { return }
            let stream = head[5..<9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            switch (head[3], head[4] & 0x1) {
            case (0x4, 0): write(descriptor, [Frame(type: 0x4, flags: 0x1)])
            case (0x1, _):
                requests.add()
                write(descriptor, answer(stream))
            default: break
            }
        }
    }

    private static func read(_ descriptor: Int32, _ count: Int) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let received = recv(descriptor, &bytes, count, Int32(MSG_WAITALL))
        return received == count ? bytes : nil
    }

    private static func write(_ descriptor: Int32, _ frames: [Frame]) {
        for (index, frame) in frames.enumerated() {
            // One at a time: libcurl takes a reset for the end only where it comes by itself (curl #10693).
            if index > 0 { usleep(20_000) }
            let bytes = frame.bytes
            _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
    }
}
