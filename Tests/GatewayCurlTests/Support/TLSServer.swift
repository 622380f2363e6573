import Foundation
import GatewayCore
import GatewayCurl

/// `openssl s_server` with a certificate of its own for 127.0.0.1 and service.test, on a free port.
final class TLSServer {
    static let openssl = ["/usr/bin/openssl", "/usr/local/bin/openssl"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// A certificate that an authority of the test's own issues.
    struct Issued {
        /// How long it is valid, in days from now; negative for one that has expired.
        var days = 2
        /// The names that it is for.
        var names = "IP:127.0.0.1"
    }

    let port: UInt16
    /// The server's certificate.
    let certificate: String
    /// The certificate to trust: the server's own, or that of the authority that issued it.
    let authority: String
    private let directory: URL
    private let process: ChildProcess

    let key: String
    /// The SHA-256 digest of its SubjectPublicKeyInfo, in base64.
    let pin: String

    /// Starts one, with further arguments for `s_server`; `CERT` stands for the certificate's file. Its certificate is
    /// self-signed by default.
    init(_ arguments: [String] = [], certificate issued: Issued? = nil) throws {
        let openssl = Self.openssl ?? ""
        directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        certificate = directory.appendingPathComponent("cert.pem").path
        let (certificate, key) = (certificate, directory.appendingPathComponent("key.pem").path)
        self.key = key
        port = FaultServer.unusedPort()
        try ChildProcess([
            openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1,DNS:service.test",
            "-keyout", key, "-out", certificate,
        ]).wait()
        if let issued {
            authority = directory.appendingPathComponent("authority.pem").path
            let (authorityKey, request) = (key + ".authority", certificate + ".request")
            try ChildProcess([
                openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                "-nodes",
                "-days", "2", "-subj", "/CN=Test authority", "-keyout", authorityKey, "-out", authority,
            ]).wait()
            try ChildProcess([
                openssl, "req", "-new", "-key", key, "-subj", "/CN=server", "-addext",
                "subjectAltName=" + issued.names, "-out", request,
            ]).wait()
            try ChildProcess([
                openssl, "x509", "-req", "-in", request, "-CA", authority, "-CAkey", authorityKey,
                "-CAcreateserial", "-days", "\(issued.days)", "-copy_extensions", "copyall", "-out",
                certificate,
            ]).wait()
        } else {
            authority = certificate
        }
        let (pem, der, digest) = (key + ".pub", key + ".der", key + ".sha256")
        try ChildProcess([openssl, "x509", "-in", certificate, "-pubkey", "-noout", "-out", pem]).wait()
        try ChildProcess([openssl, "pkey", "-pubin", "-in", pem, "-outform", "DER", "-out", der]).wait()
        try ChildProcess([openssl, "dgst", "-sha256", "-binary", "-out", digest, der]).wait()
        pin = try Data(contentsOf: URL(fileURLWithPath: digest)).base64EncodedString()
        // `-www` answers every request with a page about the connection.
        process = try ChildProcess(
            [
                openssl, "s_server", "-accept", "127.0.0.1:\(port)", "-cert", certificate, "-key", key,
                "-www",
                "-quiet",
            ] + arguments.map { $0 == "CERT" ? certificate : $0 })
    }

    var url: String { "https://127.0.0.1:\(port)" }

    /// Sends until the server, which takes a moment to start, listens.
    func sendWhenListening(_ transport: CurlTransport) async -> Result<HTTPResponse, NetworkError> {
        for _ in 0..<3_000 {
            do throws(NetworkError) {
                return .success(try await transport.send(.get, url))
            } catch {
                guard error.code == .connectionRefused else { return .failure(error) }
                await elapse(milliseconds: 10)
            }
        }
        return .failure(NetworkError(.other, "the server does not start"))
    }

    func stop() {
        process.stop()
        try? FileManager.default.removeItem(at: directory)
    }
}
