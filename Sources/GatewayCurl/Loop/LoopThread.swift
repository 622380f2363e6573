import CLibcurl

#if canImport(Glibc)
    private import Glibc
#else
    private import Musl
#endif

/// A thread of our own: the loop blocks in the kernel, which a thread of Swift's pool must not.
enum LoopThread {
    private final class Work: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs something on a new thread; `false` where the system gives none.
    static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
        let context = unsafe Unmanaged.passRetained(Work(run)).toOpaque()
        var thread = pthread_t()
        guard unsafe pthread_create(&thread, nil, body, context) == 0 else {
            unsafe Unmanaged<Work>.fromOpaque(context).release()
            return false
        }
        pthread_detach(thread)
        return true
    }

    private static let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
        context in
        guard let context = unsafe context else { return nil }
        let work = unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue()
        unsafe gateway_name_thread("gateway-curl")
        blockPipeSignal()
        work.run()
        return nil
    }

    /// Writing into a connection that the other side has closed is an error here, not the end of the process.
    private static func blockPipeSignal() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
