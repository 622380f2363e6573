public import Foundation

/// Stops a child process (SIGSTOP), and returns when each of its threads stands still, or when it has ended. Until then, a
/// thread may still take a lock, or read what arrives.
public func stop(process id: pid_t) {
    var state = siginfo_t()
    repeat {
        _ = Foundation.kill(id, SIGSTOP)
        usleep(1_000)
    } while waitid(P_PID, id_t(id), &state, WSTOPPED | WEXITED | WNOHANG | WNOWAIT) == 0
        && state.si_signo == 0
}
