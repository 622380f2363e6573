import Foundation
import Synchronization

/// The processes we started. Each is stopped by its own id, also when we are told to end.
enum Children {
    private static let running = Mutex<Set<pid_t>>([])

    static func add(_ process: Process) { _ = running.withLock { $0.insert(process.processIdentifier) } }

    /// Asks a process to end, and returns when it has.
    static func stop(_ process: Process) {
        if process.isRunning { process.terminate() }
        process.waitUntilExit()
        remove(process)
    }

    static func remove(_ process: Process) { _ = running.withLock { $0.remove(process.processIdentifier) } }

    static func stopAll() {
        for child in running.withLock({ $0 }) { kill(child, SIGTERM) }
    }

    /// Ends the children before ourselves when a signal comes.
    static func stopOnSignals() { _ = unsafe sources }

    /// Made once and never changed; kept, because a source that nobody holds hears nothing.
    private nonisolated(unsafe) static let sources = [SIGINT, SIGTERM, SIGHUP].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler {
            stopAll()
            exit(128 + number)
        }
        source.activate()
        return source
    }
}
