import Foundation

/// The built `gateway-chaos`, run as a user runs it.
struct ChaosCommand {
    let status: Int32
    let out: String
    let error: String

    static let path = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "gateway-chaos").path

    /// Runs it to its end.
    static func run(_ arguments: [String]) async throws -> ChaosCommand {
        try await RawClient.blocking { try Running(arguments).end() }
    }

    /// One that has not ended.
    final class Running: Sendable {
        let id: pid_t
        private let folder: URL

        /// Starts it, and returns when it has printed a line or has ended.
        init(_ arguments: [String]) throws {
            folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            for (descriptor, name) in [(Int32(1), "out"), (2, "error")] {
                let path = folder.appending(path: name).path
                posix_spawn_file_actions_addopen(&actions, descriptor, path, O_WRONLY | O_CREAT, 0o600)
            }
            // Threads of Swift's pool block signals, and children inherit that.
            var attributes = posix_spawnattr_t()
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }
            var none = sigset_t()
            sigemptyset(&none)
            posix_spawnattr_setsigmask(&attributes, &none)
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
            var pointers = ([ChaosCommand.path] + arguments).map { strdup($0) } + [nil]
            defer { for pointer in pointers { free(pointer) } }
            var id = pid_t()
            let code = posix_spawn(&id, ChaosCommand.path, &actions, &attributes, &pointers, environ)
            guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .ENOENT) }
            self.id = id
            var info = siginfo_t()
            for _ in 0..<6_000 where !text("out").contains("\n") {
                info.si_signo = 0
                waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT | WNOHANG)
                if info.si_signo != 0 { return }
                usleep(5000)
            }
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        func text(_ name: String) -> String {
            (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)) ?? ""
        }

        /// Sends a signal, if there is one, and waits for the end.
        func end(_ signal: Int32? = nil) -> ChaosCommand {
            if let signal { kill(id, signal) }
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            return ChaosCommand(
                status: status & 0x7F == 0 ? status >> 8 : -1, out: text("out"), error: text("error"))
        }
    }
}
