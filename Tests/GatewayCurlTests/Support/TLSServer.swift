import Foundation
import GatewayCore
import GatewayCurl

/// `openssl s_server` with a certificate of its own for 127.0.0.1 and service.test, on a free port.
final class TLSServer {
    static let openssl = ["/usr/bin/openssl", "/usr/local/bin/openssl"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    let port: UInt16
    /// The certificate, which is its own authority.
    let certificate: String
    private let directory: URL
    private let process: ChildProcess

    let key: String
    /// The SHA-256 digest of its SubjectPublicKeyInfo, in base64.
    let pin: String

    /// Starts one, with further arguments for `s_server`; `CERT` stands for the certificate's file.
    init(_ arguments: [String] = []) throws {
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
        for _ in 0..<500 {
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
