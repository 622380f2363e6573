import Foundation
import GatewayCore

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// A program that runs in a namespace until it ends or its owner does.
final class NamespaceProcess: Sendable {
    /// The lines that it writes to standard output and standard error, as they come.
    let lines: AsyncStream<String>
    private let id: pid_t
    private let life: Life

    /// Shared with the thread that waits for the end.
    private final class Life: Sendable {
        let isRunning = Locked(true)
    }

    /// - Parameter environment: all of its variables, but for `PATH`.
    init(
        _ arguments: [String], program: String, in namespace: NetworkNamespace,
        environment: [String: String] = [:]
    ) async throws {
        let started = await namespace.run { try? Self.spawn(program, arguments, environment) }
        guard let (id, output) = started ?? nil else { throw NamespaceServer.StartError() }
        let life = Life()
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        (self.id, self.life, self.lines) = (id, life, lines)
        Thread.detachNewThread {
            var rest: [UInt8] = []
            var part = [UInt8](repeating: 0, count: 4_096)
            while true {
                let count = read(output, &part, part.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                rest += part.prefix(count)
                while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                    continuation.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeSubrange(...end)
                }
            }
            close(output)
            // Its number is not another process's before this.
            var information = siginfo_t()
            while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
            life.isRunning.withLock { isRunning in
                var status: Int32 = 0
                while waitpid(id, &status, 0) < 0, errno == EINTR {}
                isRunning = false
            }
            continuation.finish()
        }
    }

    deinit { life.isRunning.withLock { if $0 { _ = kill(id, SIGTERM) } } }

    private static func spawn(
        _ program: String, _ arguments: [String], _ environment: [String: String]
    ) throws -> (pid_t, Int32) {
        var ends: [Int32] = [-1, -1]
        // A pipe that no other program inherits, which `pipe` has no way to make.
        guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
            throw NamespaceServer.StartError()
        }
        defer { close(ends[1]) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        let variables = environment.merging(["PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/bin"]) { $1 }
        var pairs = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for word in words + pairs { free(word) } }
        var id = pid_t()
        guard posix_spawn(&id, program, &actions, &attributes, &words, &pairs) == 0 else {
            close(ends[0])
            throw NamespaceServer.StartError()
        }
        return (id, ends[0])
    }
}
