import Foundation
import GatewayCore

/// A Redis server of a test's own, on a free port of 127.0.0.1. It ends with this process, however that ends.
public final class RedisProcess: Sendable {
    /// There is no `redis-server`, or it cannot be started.
    public struct Unusable: Error {}

    /// The path of `redis-server`; `nil` where it is not installed.
    public static let executable = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { String($0) + "/redis-server" }.first { (path: String) in access(path, X_OK) == 0 }

    /// Its port.
    public let port: UInt16
    private let directory: String
    private let options: String
    /// The shell that runs the server ends it when this is closed, and so when this process ends.
    private let running = Locked<(lifeline: Int32, shell: pid_t)?>(nil)

    /// Starts one. It does not listen yet.
    ///
    /// - Parameters:
    ///   - directory: where it keeps its files and its log.
    ///   - options: further options of its command line.
    public init(directory: String, options: String = "") throws {
        (self.directory, self.options) = (directory, options)
        port = try Self.freePort()
        try start()
    }

    deinit { stop() }

    /// Starts it again after ``stop()``. It does not listen yet.
    public func start() throws {
        guard let server = Self.executable else { throw Unusable() }
        var ends: [Int32] = [0, 0]
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw Unusable()
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[0], 0)
        posix_spawn_file_actions_addopen(
            &actions, 1, directory + "/log", O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // A shell that inherits the blocked signals of Swift's threads never hears that the server is gone.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        let script = """
            \(server) --port \(port) --bind 127.0.0.1 --dir \(directory) --save '' \(options) < /dev/null &
            server=$!; read -r _; kill -KILL $server; wait $server
            """
        var arguments = [strdup("sh"), strdup("-c"), strdup(script), nil]
        defer { for text in arguments { free(text) } }
        var shell = pid_t()
        let code = posix_spawn(&shell, "/bin/sh", &actions, &attributes, &arguments, environ)
        close(ends[0])
        guard code == 0 else {
            close(ends[1])
            throw Unusable()
        }
        running.withLock { $0 = (ends[1], shell) }
    }

    /// Kills it, and returns when it is gone.
    public func stop() {
        let running = running.withLock { running in
            defer { running = nil }
            return running
        }
        guard let running else { return }
        close(running.lifeline)
        while waitpid(running.shell, nil, 0) < 0, errno == EINTR {}
    }

    private static func freePort() throws -> UInt16 {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 && getsockname(socket, $0, &length) == 0
            }
        }
        guard isBound else { throw Unusable() }
        return UInt16(bigEndian: address.sin_port)
    }
}
