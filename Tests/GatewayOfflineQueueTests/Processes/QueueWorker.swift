import Foundation

/// A `gateway-queue-worker`.
final class QueueWorker {
    private let id: pid_t
    /// The reading end of its output, and the writing end of its input.
    private let (output, input): (Int32, Int32)
    private(set) var lines: [String] = []
    private var partial: [UInt8] = []
    private var hasEnded = false

    init(file: String, origin: String, name: String, count: Int) throws {
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
        let words: [String] = [executable, file, origin, name, "\(count)"]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var id = pid_t()
        let code = posix_spawn(&id, executable, &actions, nil, &arguments, environ)
        close(out[1])
        close(into[0])
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
        self.id = id
    }

    deinit { kill() }

    /// Reads lines until one is meant, its output ends, or a time has passed.
    ///
    /// - Returns: whether there was such a line.
    @discardableResult
    func read(within limit: Duration = .seconds(3_600), until isMeant: (String) -> Bool) -> Bool {
        let end = ContinuousClock.now + limit
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            while let end = partial.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: partial[..<end], as: UTF8.self)
                partial.removeSubrange(...end)
                lines.append(line)
                if isMeant(line) { return true }
            }
            var descriptor = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            let left = ContinuousClock.now.duration(to: end) / .milliseconds(1)
            guard left > 0 else { return false }
            guard poll(&descriptor, 1, Int32(left.rounded(.up))) > 0 else { continue }
            let count = Foundation.read(output, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            partial += buffer[..<count]
        }
    }

    func signal(_ signal: Int32) { Foundation.kill(id, signal) }

    /// Kills it, and reads what it has printed.
    func kill() {
        guard !hasEnded else { return }
        signal(SIGKILL)
        finish()
    }

    /// Lets it send what is left, and waits for its end.
    func end() {
        guard !hasEnded else { return }
        close(input)
        read { _ in false }
        wait()
        close(output)
    }

    private func finish() {
        read { _ in false }
        wait()
        close(input)
        close(output)
    }

    private func wait() {
        hasEnded = true
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
    }
}
