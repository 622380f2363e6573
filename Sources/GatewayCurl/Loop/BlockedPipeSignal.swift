import CLibcurl

#if canImport(Glibc)
    private import Glibc
#else
    private import Musl
#endif

/// Keeps a thread that is not ours from the signal that writing into a closed connection raises: there it is an error,
/// not the end of the process.
@safe
struct BlockedPipeSignal {
    private var before = sigset_t()
    private var signal = sigset_t()
    private var isTheirs = false

    init() {
        unsafe sigemptyset(&signal)
        unsafe sigaddset(&signal, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signal, &before)
        isTheirs = isPending
    }

    private var isPending: Bool {
        var pending = sigset_t()
        unsafe sigpending(&pending)
        return unsafe sigismember(&pending, SIGPIPE) == 1
    }

    func end() {
        var signal = signal
        var before = before
        if !isTheirs, isPending {
            var now = timespec()
            unsafe sigtimedwait(&signal, nil, &now)
        }
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    }
}
