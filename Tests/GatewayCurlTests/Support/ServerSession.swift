import CLibssl
import Foundation
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

    private init(speaksHTTP2: Bool = false) throws {
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
        guard SSL_set_fd(session, descriptor) == 1, SSL_accept(session) == 1 else {
            SSL_free(session)
            return nil
        }
        return ServerSession(session)
    }
}

/// The server's end of a session of TLS. Used on one thread.
final class ServerSession {
    private let session: OpaquePointer

    fileprivate init(_ session: OpaquePointer) { self.session = session }

    deinit { SSL_free(session) }

    func read(_ bytes: inout [UInt8]) -> Int { Int(SSL_read(session, &bytes, Int32(bytes.count))) }

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
