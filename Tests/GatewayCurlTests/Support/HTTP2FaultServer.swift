import Foundation
import GatewayCore

/// An HTTP/2 server that sends exactly the frames it is told to.
final class HTTP2FaultServer: Sendable {
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
        static let ping = Frame(type: 0x6, payload: [UInt8](repeating: 7, count: 8))
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

    /// A request that has come in whole.
    struct Request {
        let connection: FaultConnection
        let stream: UInt32
    }

    private let server: FaultServer
    private let requests = Tally()

    /// Answers each request with the frames that a closure gives, and ends the connection after that if `ends`.
    init(ends: Bool = false, _ answer: @escaping @Sendable (Request) -> [Frame]) {
        let requests = requests
        server = FaultServer(identity: .http2) { connection in
            Self.serve(connection) { request in
                requests.add()
                request.connection.write(answer(request))
                return !ends
            }
        }
    }

    var url: String { server.url }
    var requestCount: Int { requests.count }
    var connectionCount: Int { server.connectionCount }

    func stop() { server.stop() }

    private static func serve(_ connection: FaultConnection, _ answer: (Request) -> Bool) {
        guard connection.readBytes("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8.count) != nil else { return }
        connection.write([Frame(type: 0x4)])
        while let head = connection.readBytes(9) {
            let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            guard length == 0 || connection.readBytes(length) != nil else { return }
            let stream = head[5..<9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            switch (head[3], head[4] & Frame.endsStream) {
            case (0x4, 0): connection.write([Frame(type: 0x4, flags: 0x1)])
            case (0x0, 1), (0x1, 1):
                guard answer(Request(connection: connection, stream: stream)) else { return }
            default: break
            }
        }
    }
}

extension FaultConnection {
    /// Writes frames, each in a record of its own.
    func write(_ frames: [HTTP2FaultServer.Frame]) {
        for (index, frame) in frames.enumerated() {
            // One at a time: libcurl takes a reset for the end only where it comes by itself (curl #10693).
            if index > 0 { usleep(20_000) }
            write(frame.bytes)
        }
    }
}
