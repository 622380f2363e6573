private import GatewayLibC

/// A thread that may block, which a thread of Swift's pool must not.
package enum BlockingThread {
    private final class Work: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs something on a new thread that nobody waits for; `false` if the system gives none.
    package static func start(_ run: @escaping @Sendable () -> Void) -> Bool {
        guard let thread = make(run) else { return false }
        pthread_detach(thread)
        return true
    }

    /// Runs something on a new thread.
    ///
    /// - Returns: Waits for the end of the thread; to be called once. `nil` if the system gives no thread.
    package static func startJoinable(_ run: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
        guard let thread = make(run) else { return nil }
        return { [thread] in _ = pthread_join(thread, nil) }
    }

    private static func make(_ run: @escaping @Sendable () -> Void) -> pthread_t? {
        let work = unsafe Unmanaged.passRetained(Work(run))
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, work.toOpaque())
        guard code == 0 else {
            unsafe work.release()
            return nil
        }
        return thread
    }
}
