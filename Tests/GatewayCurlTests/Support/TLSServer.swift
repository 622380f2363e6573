import Foundation

/// `openssl s_server` with a certificate of its own for 127.0.0.1, on a free port.
final class TLSServer {
    static let openssl = ["/usr/bin/openssl", "/usr/local/bin/openssl"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    let port: UInt16
    /// The certificate, which is its own authority.
    let certificate: String
    private let directory: URL
    private let process: ChildProcess

    init() throws {
        let openssl = Self.openssl ?? ""
        directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        certificate = directory.appendingPathComponent("cert.pem").path
        let key = directory.appendingPathComponent("key.pem").path
        port = FaultServer.unusedPort()
        try ChildProcess([
            openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key,
            "-out", certificate,
        ]).wait()
        // `-www` answers every request with a page about the connection.
        process = try ChildProcess([
            openssl, "s_server", "-accept", "127.0.0.1:\(port)", "-cert", certificate, "-key", key, "-www",
            "-quiet",
        ])
    }

    var url: String { "https://127.0.0.1:\(port)" }

    func stop() {
        process.stop()
        try? FileManager.default.removeItem(at: directory)
    }
}
