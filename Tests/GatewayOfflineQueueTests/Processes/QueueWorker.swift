import Foundation
import TestTiers

/// A process of `gateway-queue-worker`.
final class QueueWorker {
    private let id: pid_t
    /// The reading end of its output, and the writing end of its input until that is closed.
    private let output: Int32
    private var input: Int32?
    private(set) var lines: [String] = []
    private var partial: [UInt8] = []
    private var hasEnded = false

    init(file: String, origin: String, name: String, count: Int, interval: Duration = .milliseconds(200))
        throws
    {
        let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "gateway-queue-worker").path
        var (out, into): ([Int32], [Int32]) = ([0, 0], [0, 0])
        guard pipe(&out) == 0, pipe(&into) == 0 else { throw POSIXError(.EMFILE) }
        // Otherwise later workers have them too, and their ends are never seen.
        for end in out + into { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (output, input) = (out[0], into[1])
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, out[1], 1)
        posix_spawn_file_actions_adddup2(&actions, into[0], 0)
        let words: [String] = [
            executable, file, origin, name, "\(count)", "\(Int(interval / .milliseconds(1)))",
        ]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var id = pid_t()
        let code = posix_spawn(&id, executable, &actions, nil, &arguments, environ)
        close(out[1])
        close(into[0])
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
        self.id = id
    }

    deinit {
        guard !hasEnded else { return }
        signal(SIGKILL)
        wait()
    }

    /// Reads lines until one is meant, or its output ends.
    ///
    /// - Returns: whether there was such a line.
    @discardableResult
    func read(until isMeant: (String) -> Bool) async -> Bool {
        while true {
            while let end = partial.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: partial[..<end], as: UTF8.self)
                partial.removeSubrange(...end)
                lines.append(line)
                if isMeant(line) { return true }
            }
            guard let bytes = await Self.bytes(of: output) else { return false }
            partial += bytes
        }
    }

    /// Waits on a thread of its own: the handlers of the server need those of Swift's tasks.
    ///
    /// - Returns: what there is to read; `nil` at the end.
    private static func bytes(of output: Int32) async -> [UInt8]? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var buffer = [UInt8](repeating: 0, count: 4_096)
                let count = Foundation.read(output, &buffer, buffer.count)
                let isInterrupted = count < 0 && errno == EINTR
                continuation.resume(
                    returning: count > 0 || isInterrupted ? Array(buffer.prefix(max(0, count))) : nil)
            }
        }
    }

    func signal(_ signal: Int32) { Foundation.kill(id, signal) }

    /// Stops its threads (SIGSTOP).
    func stop() { TestTiers.stop(process: id) }

    /// Kills it, and reads what it has printed.
    func kill() async {
        guard !hasEnded else { return }
        signal(SIGKILL)
        await read { _ in false }
        wait()
    }

    /// Lets it send what is left, and waits for its end.
    func end() async {
        guard !hasEnded else { return }
        if let input { close(input) }
        input = nil
        await read { _ in false }
        wait()
    }

    /// Waits for its end: its output has ended, or it was killed.
    private func wait() {
        hasEnded = true
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        close(output)
        if let input { close(input) }
        input = nil
    }
}
