import Foundation

/// Another program, quiet, started and ended with plain system calls.
///
/// Foundation's `Process` waits for the end of a program with a run loop, which hangs on a thread of Swift's pool.
struct ChildProcess {
    let id: pid_t

    /// Starts it.
    ///
    /// - Parameter io: a descriptor that it reads from and writes to; nothing and nowhere by default.
    init(_ arguments: [String], io: Int32? = nil) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in 0...2 {
            if let io, descriptor < 2 {
                posix_spawn_file_actions_adddup2(&actions, io, descriptor)
                continue
            }
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var pointers = arguments.map { strdup($0) } + [nil]
        defer { for pointer in pointers { free(pointer) } }
        var id = pid_t()
        let code = posix_spawn(&id, arguments[0], &actions, nil, &pointers, environ)
        guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EINVAL) }
        self.id = id
    }

    /// Returns when it has ended, with its status; -1 where a signal ended it.
    @discardableResult
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(id, &status, 0) < 0, errno == EINTR {}
        return status & 0x7F == 0 ? status >> 8 : -1
    }

    /// Ends it. A program that a thread of Swift's pool started has inherited that thread's signal mask, and SIGTERM
    /// would never reach it.
    func stop() {
        kill(id, SIGKILL)
        wait()
    }
}
