#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// A thread of the system's.
enum ServerThread {
    private final class Work {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// The current thread's identity, for comparison.
    static var current: UInt { UInt(pthread_self()) }

    /// Starts a thread.
    ///
    /// - Returns: waits for the thread's end; to be called once. `nil` when no thread could be made.
    static func start(_ run: @escaping @Sendable () -> Void) -> (@Sendable () -> Void)? {
        let work = unsafe Unmanaged.passRetained(Work(run))
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread, nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, work.toOpaque())
        guard result == 0 else {
            unsafe work.release()
            return nil
        }
        return { [thread] in _ = pthread_join(thread, nil) }
    }

    /// Runs something on a thread nobody waits for.
    static func detach(_ run: @escaping @Sendable () -> Void) {
        let started = start {
            pthread_detach(pthread_self())
            run()
        }
        if started == nil { run() }
    }
}
