import Foundation

/// The built `gateway-bench`, run as a user runs it.
struct BenchCommand {
    let status: Int32
    let out: String
    let error: String

    /// The path of the command, in the directory of the tests.
    static let path = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appending(path: "gateway-bench").path

    /// Runs it, or another program, to its end, on a new thread: a thread of Swift's pool must not be blocked.
    static func run(_ arguments: [String], program: String = path) async throws -> BenchCommand {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(with: Result { try BenchCommand(program, arguments) })
            }
        }
    }

    private init(_ program: String, _ arguments: [String]) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let files = [folder.appending(path: "out"), folder.appending(path: "error")]
        // Foundation's Process waits with a run loop. These are plain system calls.
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for (descriptor, file) in zip(Int32(1)..., files) {
            posix_spawn_file_actions_addopen(&actions, descriptor, file.path, O_WRONLY | O_CREAT, 0o600)
        }
        var pointers = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        // Threads of Swift's pool block signals, and children inherit that: the command must receive SIGTERM.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var id = pid_t()
        let code = posix_spawn(&id, program, &actions, &attributes, &pointers, environ)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .ENOENT) }
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        self.status = status & 0x7F == 0 ? status >> 8 : -1
        out = try String(contentsOf: files[0], encoding: .utf8)
        error = try String(contentsOf: files[1], encoding: .utf8)
    }
}
