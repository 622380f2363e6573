import BenchmarkClients
import FoundationEssentials
import GatewayClient
import Glibc
import Synchronization

/// A program that this process started.
///
/// Why: Foundation's `Process` calls `select`, which overwrites memory in a process with descriptors above 1,024.
final class ChildProcess: Sendable {
    /// What a standard stream of the program is connected to.
    enum Stream {
        /// `/dev/null`.
        case nothing
        /// The stream of this process.
        case inherited
        /// A pipe to this process.
        case pipe
    }

    /// The process ID.
    let id: pid_t
    /// The end of the pipe that the program reads, or -1.
    private let input: Mutex<Int32>
    /// The end of the pipe that the program writes, or -1.
    private let output: Int32
    /// The exit status, once the process was reaped: its ID may be another process's then.
    private let status = Mutex<Int32?>(nil)

    /// Starts a program. It inherits no descriptors except the standard streams, and no blocked or ignored signals.
    ///
    /// - Parameters:
    ///   - environment: Variables that are added to those of this process, or replace them.
    ///   - input: The standard input.
    ///   - output: The standard output.
    ///   - errors: The standard error; `.pipe` is not supported.
    /// - Throws: `BenchmarkFailure.failed`, if the program cannot be started.
    init(
        _ path: String, _ arguments: [String], environment: [String: String] = [:],
        input: Stream = .nothing, output: Stream = .inherited, errors: Stream = .inherited
    ) throws(BenchmarkFailure) {
        let inputPipe = try input == .pipe ? Self.openPipe() : nil
        let outputPipe = try output == .pipe ? Self.openPipe() : nil
        // The ends of the program.
        defer { for end in [inputPipe?.reading, outputPipe?.writing] { if let end { close(end) } } }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        for (number, stream, end) in [
            (0, input, inputPipe?.reading), (1, output, outputPipe?.writing), (2, errors, nil),
        ] as [(Int32, Stream, Int32?)] {
            if let end {
                unsafe posix_spawn_file_actions_adddup2(&actions, end, number)
            } else if stream == .nothing {
                unsafe posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
            }
        }
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { unsafe sigaddset(&signals, signal) }
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF)))
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        var settings = unsafe variables.map { unsafe strdup("\($0)=\($1)") } + [nil]
        defer { unsafe (words + settings).forEach { unsafe free($0) } }
        var id = pid_t()
        let code = unsafe posix_spawn(&id, path, &actions, &attributes, &words, &settings)
        guard code == 0 else {
            for end in [inputPipe?.writing, outputPipe?.reading] { if let end { close(end) } }
            throw .failed("\(path) does not start: error \(code)")
        }
        self.id = id
        self.input = Mutex(inputPipe?.writing ?? -1)
        self.output = outputPipe?.reading ?? -1
    }

    deinit {
        closeInput()
        if output >= 0 { close(output) }
    }

    private static func openPipe() throws(BenchmarkFailure) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw .failed("a pipe cannot be opened: error \(errno)") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Whether the program has not ended.
    var isRunning: Bool {
        status.withLock { status in
            if status == nil { status = reaped(WNOHANG) }
            return status == nil
        }
    }

    /// Sends SIGTERM, unless the program has ended.
    func terminate() {
        status.withLock { status in
            if status == nil { kill(id, SIGTERM) }
        }
    }

    /// Closes the standard input of the program, if it is a pipe.
    func closeInput() {
        input.withLock { input in
            if input >= 0 { close(input) }
            input = -1
        }
    }

    /// The standard output of the program until its end, if it is a pipe.
    func readOutput() -> Data {
        Data((try? FileBytes.readAll(of: output, upToBytes: .max)) ?? [])
    }

    /// Waits until the program has ended.
    ///
    /// - Returns: The exit status, or -1 if a signal ended the program.
    @discardableResult
    func waitUntilExit() -> Int32 {
        // Waits without the lock, so that the program can be terminated; the ID remains reserved.
        var info = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        return status.withLock { status in
            let ended = status ?? reaped(0) ?? -1
            status = ended
            return ended
        }
    }

    /// The exit status, if the program has ended.
    private func reaped(_ options: Int32) -> Int32? {
        var status: Int32 = 0
        while true {
            let process = unsafe waitpid(id, &status, options)
            if process < 0, errno == EINTR { continue }
            if process == 0 { return nil }
            return process == id && status & 0x7F == 0 ? status >> 8 & 0xFF : -1
        }
    }
}
