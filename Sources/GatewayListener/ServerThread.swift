import GatewayCore
private import GatewayLibC

/// A system thread.
enum ServerThread {
    /// The current thread's identity, for comparison.
    static var current: UInt { UInt(pthread_self()) }

    /// Runs something on a thread nobody waits for.
    static func detach(_ run: @escaping @Sendable () -> Void) {
        if !BlockingThread.start(run) { run() }
    }
}
