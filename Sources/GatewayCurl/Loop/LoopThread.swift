import CLibcurl
import GatewayCore
private import GatewayLibC

/// A dedicated thread, because the loop blocks in the kernel, which is not allowed on a thread of Swift's pool.
enum LoopThread {
    /// Runs a closure on a new thread; `false` if no thread can be started.
    static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
        BlockingThread.start {
            unsafe gateway_name_thread("gateway-curl")
            blockPipeSignal()
            run()
        }
    }

    /// Blocks SIGPIPE on this thread: writing to a closed connection is an error and must not end the process.
    private static func blockPipeSignal() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
