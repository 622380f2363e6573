import CLibcurl
import GatewayCore

#if canImport(Glibc)
    private import Glibc
#else
    private import Musl
#endif

/// A thread of our own: the loop blocks in the kernel, which a thread of Swift's pool must not.
enum LoopThread {
    /// Runs something on a new thread; `false` where the system gives none.
    static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
        BlockingThread.start {
            unsafe gateway_name_thread("gateway-curl")
            blockPipeSignal()
            run()
        }
    }

    /// Writing into a connection that the other side has closed is an error here, not the end of the process.
    private static func blockPipeSignal() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
