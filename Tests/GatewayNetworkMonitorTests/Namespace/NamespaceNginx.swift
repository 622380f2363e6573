import Foundation

/// nginx in a namespace.
enum NamespaceNginx {
    /// The program, if it is installed.
    static let program = ["/usr/sbin/nginx", "/usr/bin/nginx"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Starts it with all its files in a folder.
    ///
    /// - Parameter settings: what its `http` block has besides.
    static func start(
        in namespace: NetworkNamespace, folder: String, _ settings: String
    ) async throws -> NamespaceProcess {
        let paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map {
            "\($0)_temp_path \(folder)/\($0);"
        }
        let text = """
            daemon off;
            master_process off;
            pid \(folder)/nginx.pid;
            error_log stderr warn;
            events { worker_connections 512; }
            http {
            \(paths.joined(separator: "\n"))
            \(settings)
            }
            """
        try text.write(toFile: folder + "/nginx.conf", atomically: true, encoding: .utf8)
        return try await NamespaceProcess(
            ["-p", folder, "-c", folder + "/nginx.conf"], program: program ?? "", in: namespace)
    }
}
