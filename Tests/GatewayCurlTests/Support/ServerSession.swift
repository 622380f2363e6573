import CLibcurl  // Its headers may be what declares the constants of sockets.
import CLibssl
import Foundation
import GatewayCore
import GatewayCurl
import Testing

/// A certificate for 127.0.0.1 with its key, for servers that speak TLS in the test's own process.
final class ServerIdentity: @unchecked Sendable {
    /// One for all tests; `nil` where the program `openssl` is missing.
    static let shared = try? ServerIdentity()
    nonisolated(unsafe) private static let nameOfHTTP2: UnsafePointer<UInt8> = {
        let name = UnsafeMutablePointer<UInt8>.allocate(capacity: 2)
        (name[0], name[1]) = (UInt8(ascii: "h"), UInt8(ascii: "2"))
        return UnsafePointer(name)
    }()

    /// One that chooses HTTP/2.
    static let http2 = try? ServerIdentity(speaksHTTP2: true)

    /// The certificate's file, which clients trust.
    let certificate: String
    let key: String
    private let context: OpaquePointer
    /// What the first client gets with the server's last part of the handshake.
    private let greeting: Locked<String?>
    private let isOfTLS13: Bool
    private let heldBack: Int

    /// - Parameters:
    ///   - greeting: what the first client gets with the server's last part of the handshake, before it can send a request; over
    ///     TLS 1.3, or otherwise over TLS 1.2.
    ///   - heldBack: how many bytes of it come after the request.
    init(
        speaksHTTP2: Bool = false, greeting: String? = nil, isOfTLS13: Bool = true, heldBack: Int = 0
    ) throws {
        self.greeting = Locked(greeting)
        self.isOfTLS13 = isOfTLS13
        self.heldBack = heldBack
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        certificate = directory.appendingPathComponent("cert.pem").path
        key = directory.appendingPathComponent("key.pem").path
        try ChildProcess([
            TLSServer.openssl ?? "", "req", "-x509", "-newkey", "ec", "-pkeyopt",
            "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
            "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate,
        ]).wait()
        guard let context = SSL_CTX_new(TLS_server_method()),
            SSL_CTX_use_certificate_file(context, certificate, SSL_FILETYPE_PEM) == 1,
            SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1
        else { throw POSIXError(.EINVAL) }
        self.context = context
        guard speaksHTTP2 else { return }
        let choose: SSL_CTX_alpn_select_cb_func = { _, name, length, _, _, _ in
            name?.pointee = ServerIdentity.nameOfHTTP2
            length?.pointee = 2
            return SSL_TLSEXT_ERR_OK
        }
        SSL_CTX_set_alpn_select_cb(context, choose, nil)
        // A session's bytes go out by `write`.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Greets a client; `nil` where that fails.
    func accept(_ descriptor: Int32) -> ServerSession? {
        guard let session = SSL_new(context) else { return nil }
        var late: [UInt8]? = []
        if let greeting = greeting.withLock({ $0.take() }) {
            late = greet(session, descriptor, Array(greeting.utf8))
        } else {
            SSL_set_fd(session, descriptor)
        }
        guard let late, SSL_accept(session) == 1 else {
            SSL_free(session)
            return nil
        }
        return ServerSession(session, late: late, descriptor: descriptor)
    }

    /// Takes the server's part of the handshake, and sends its end and the greeting in one segment: over TLS 1.2 after that of
    /// the client, over TLS 1.3 before it (RFC 8446 §2.3).
    ///
    /// - Returns: what is held back of the greeting; `nil` if it failed.
    private func greet(_ session: OpaquePointer, _ descriptor: Int32, _ bytes: [UInt8]) -> [UInt8]? {
        guard let input = BIO_new(BIO_s_mem()), let output = BIO_new(BIO_s_mem()) else { return nil }
        SSL_set_bio(session, input, output)
        // No ticket comes between the parts of the greeting.
        SSL_set_num_tickets(session, 0)
        if !isOfTLS13 { SSL_ctrl(session, SSL_CTRL_SET_MAX_PROTO_VERSION, Int(TLS1_2_VERSION), nil) }
        var (room, count) = ([UInt8](repeating: 0, count: 1 << 14), 0)
        func drained() -> [UInt8] {
            let length = BIO_read(output, &room, Int32(room.count))
            return length > 0 ? Array(room[..<Int(length)]) : []
        }
        func step() -> Bool {
            guard isOfTLS13 else { return SSL_accept(session) == 1 }
            return SSL_read_early_data(session, &room, room.count, &count) == SSL_READ_EARLY_DATA_FINISH
        }
        while !step() {
            let flight = drained()
            guard Foundation.send(descriptor, flight, flight.count, Int32(MSG_NOSIGNAL)) == flight.count
            else { return nil }
            let length = recv(descriptor, &room, room.count, 0)
            guard length > 0, BIO_write(input, room, Int32(length)) == length else { return nil }
        }
        let isWritten =
            isOfTLS13
            ? SSL_write_early_data(session, bytes, bytes.count, &count) == 1
            : SSL_write(session, bytes, Int32(bytes.count)) == bytes.count
        let last = drained()
        let sent = last.count - heldBack
        guard isWritten, Foundation.send(descriptor, last, sent, Int32(MSG_NOSIGNAL)) == sent else {
            return nil
        }
        return SSL_set_fd(session, descriptor) == 1 ? Array(last[sent...]) : nil
    }
}

/// The server's end of a session of TLS. Used on one thread.
final class ServerSession {
    private let session: OpaquePointer
    /// What is sent as it is when something was read.
    private var late: [UInt8]
    private let descriptor: Int32

    fileprivate init(_ session: OpaquePointer, late: [UInt8], descriptor: Int32) {
        self.session = session
        self.late = late
        self.descriptor = descriptor
    }

    deinit { SSL_free(session) }

    func read(_ bytes: inout [UInt8]) -> Int {
        let count = Int(SSL_read(session, &bytes, Int32(bytes.count)))
        if !late.isEmpty { _ = Foundation.send(descriptor, late, late.count, Int32(MSG_NOSIGNAL)) }
        late = []
        return count
    }

    func write(_ bytes: [UInt8]) { SSL_write(session, bytes, Int32(bytes.count)) }

    var isResumed: Bool { SSL_session_reused(session) == 1 }

    /// Says that nothing more comes (close_notify).
    func end() { SSL_shutdown(session) }
}

extension Trait where Self == ConditionTrait {
    static var needsServerIdentity: Self {
        .enabled(if: ServerIdentity.shared != nil && ServerIdentity.http2 != nil, "openssl is not installed")
    }
}

/// A transport that speaks HTTP/2 with a test's server.
func speakingHTTP2(
    to _: HTTP2FaultServer, _ change: (inout CurlConfiguration) -> Void = { _ in }
) -> CurlTransport {
    transport {
        $0.caFile = ServerIdentity.http2?.certificate
        $0.httpVersion = .http2
        change(&$0)
    }
}
