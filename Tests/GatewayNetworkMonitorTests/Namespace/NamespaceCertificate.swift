import Foundation

/// A self-signed certificate for `NamespacePair.serverText`, in a folder that ends with it.
final class NamespaceCertificate: Sendable {
    static let openssl = ["/usr/bin/openssl", "/usr/local/bin/openssl"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    let folder: String
    var certificate: String { folder + "/cert.pem" }
    var key: String { folder + "/key.pem" }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let arguments = [
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "2",
            "-subj", "/CN=\(NamespacePair.serverText)", "-addext",
            "subjectAltName=IP:\(NamespacePair.serverText)", "-keyout", key, "-out", certificate,
        ]
        let status = try NetworkNamespace.execute(
            arguments, program: Self.openssl ?? "", output: "/dev/null")
        guard status == 0 else {
            throw NetworkNamespace.CommandFailure(arguments: arguments, status: status)
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    /// Starts `openssl s_server` on a port of the namespace's loopback interface; it answers requests with a page.
    func serve(in namespace: NetworkNamespace, port: UInt16) async throws -> NamespaceProcess {
        try await NamespaceProcess(
            [
                "s_server", "-accept", "127.0.0.1:\(port)", "-cert", certificate, "-key", key, "-www",
                "-quiet",
            ],
            program: Self.openssl ?? "", in: namespace)
    }
}
