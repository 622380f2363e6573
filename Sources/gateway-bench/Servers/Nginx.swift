import BenchmarkClients
import FoundationEssentials
import Glibc

/// An nginx on a free loopback port. Its temporary directory is removed when it is stopped.
final class Nginx {
    private let process: ChildProcess
    /// The process ID of the server.
    var processIdentifier: Int32 { process.id }
    private let directory: URL
    /// `http://127.0.0.1:port`.
    let url: String
    /// `https://127.0.0.1:port`, with HTTP/2 by ALPN; `nil` without `openssl` or the TLS module.
    let secureURL: String?
    /// The self-signed certificate of `secureURL`.
    let certificateFile: String?

    /// The path of an installed nginx, or `nil`.
    static var executable: String? { Program.path("nginx") }

    init(executable: String) throws {
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("gateway-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let port = LoopbackPort.free()
        url = "http://127.0.0.1:\(port)"
        let file = directory.appendingPathComponent("nginx.conf")
        try Data(repeating: 0x6D, count: 1 << 20).write(to: directory.appendingPathComponent("1m"))
        let certificate = Certificate(directory: directory.path)
        var securePort: UInt16?
        // A small build of nginx lacks some modules, and rejects their directives.
        attempts: for secure in certificate == nil ? [nil] : [LoopbackPort.free(), nil] {
            securePort = secure
            for modules in [
                ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"], ["client_body", "proxy"],
                ["client_body"],
            ] {
                try Self.configuration(
                    port: port, securePort: secure, directory: directory.path, modules: modules
                ).write(to: file, atomically: true, encoding: .utf8)
                if Self.accepts(executable, file.path, directory.path) { break attempts }
            }
        }
        secureURL = securePort.map { "https://127.0.0.1:\($0)" }
        certificateFile = securePort.flatMap { _ in certificate?.file }
        let process = try ChildProcess(
            executable, ["-c", file.path, "-p", directory.path, "-e", directory.path + "/error.log"],
            output: .nothing, errors: .nothing)
        self.process = process
        Children.add(process)
        guard LoopbackPort.waitUntilListening(port, while: { process.isRunning }) else {
            let log = (try? String(contentsOfFile: directory.path + "/error.log", encoding: .utf8)) ?? ""
            stop()
            throw BenchmarkFailure.failed("nginx does not start: \(log)")
        }
    }

    func stop() {
        Children.stop(process)
        try? FileManager.default.removeItem(at: directory)
    }

    private static func accepts(_ executable: String, _ file: String, _ directory: String) -> Bool {
        Program.succeeds(
            executable, ["-t", "-q", "-c", file, "-p", directory, "-e", directory + "/test.log"])
    }

    private static func configuration(
        port: UInt16, securePort: UInt16?, directory: String, modules: [String]
    ) -> String {
        // No session resumption: each new connection makes a full handshake.
        let secure = securePort.map { port in
            """
                listen 127.0.0.1:\(port) ssl http2 backlog=4096;
                    ssl_certificate \(directory)/\(Certificate.fileName);
                    ssl_certificate_key \(directory)/\(Certificate.keyName);
                    ssl_session_cache off;
                    ssl_session_tickets off;
            """
        }
        return """
            daemon off;
            master_process off;
            worker_processes 1;
            pid \(directory)/nginx.pid;
            error_log \(directory)/error.log crit;
            events { worker_connections 8192; }
            http {
                access_log off;
                sendfile on;
                tcp_nopush on;
                keepalive_requests 1000000000;
                keepalive_timeout 600s;
                \(modules.map { "\($0)_temp_path \(directory)/\($0);" }.joined(separator: "\n    "))
                server {
                    listen 127.0.0.1:\(port) backlog=4096;
                \(secure ?? "")
                    default_type application/json;
                    location = /small { return 200 '\(Workload.content)'; }
                    location = /cold { keepalive_timeout 0; return 200 '\(Workload.content)'; }
                    location = /1m { alias \(directory)/1m; }
                }
            }
            """
    }
}
