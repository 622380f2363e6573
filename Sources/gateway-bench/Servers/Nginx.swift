import Foundation

/// An nginx on a free loopback port, with a configuration in a temporary directory, both gone when it is stopped.
final class Nginx {
    private let process: Process
    private let directory: URL
    /// `http://127.0.0.1:port`.
    let url: String

    /// Where nginx is installed; `nil` where it is not.
    static var executable: String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let directories = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"]
        return directories.map { $0 + "/nginx" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    init(executable: String) throws {
        directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("gateway-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        let port = LoopbackPort.free()
        url = "http://127.0.0.1:\(port)"
        let file = directory.appendingPathComponent("nginx.conf")
        // A light nginx lacks some modules, and refuses their directives.
        for modules in [
            ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"], ["client_body", "proxy"], ["client_body"],
        ] {
            try Self.configuration(port: port, directory: directory.path, modules: modules)
                .write(to: file, atomically: true, encoding: .utf8)
            if Self.accepts(executable, file.path, directory.path) { break }
        }
        process = Process()
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = ["-c", file.path, "-p", directory.path, "-e", directory.path + "/error.log"]
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
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
        let test = Process()
        test.executableURL = URL(fileURLWithPath: executable)
        test.arguments = ["-t", "-q", "-c", file, "-p", directory, "-e", directory + "/test.log"]
        test.standardError = FileHandle.nullDevice
        test.standardOutput = FileHandle.nullDevice
        guard (try? test.run()) != nil else { return false }
        test.waitUntilExit()
        return test.terminationStatus == 0
    }

    private static func configuration(port: UInt16, directory: String, modules: [String]) -> String {
        return """
            daemon off;
            master_process off;
            worker_processes 1;
            pid \(directory)/nginx.pid;
            error_log \(directory)/error.log crit;
            events { worker_connections 8192; }
            http {
                access_log off;
                keepalive_requests 1000000000;
                keepalive_timeout 600s;
                \(modules.map { "\($0)_temp_path \(directory)/\($0);" }.joined(separator: "\n    "))
                server {
                    listen 127.0.0.1:\(port) backlog=4096;
                    location = /small { default_type application/json; return 200 '\(Workload.content)'; }
                }
            }
            """
    }
}
