import Dispatch
import Glibc
import Synchronization

/// The running child processes. They are terminated when a signal ends this process.
enum Children {
    private static let running = Mutex<[pid_t: ChildProcess]>([:])

    static func add(_ process: ChildProcess) { running.withLock { $0[process.id] = process } }

    /// Terminates a process and waits until it has ended.
    static func stop(_ process: ChildProcess) {
        process.terminate()
        waitUntilExit(process)
    }

    /// Waits until a process has ended.
    ///
    /// - Returns: The exit status, or -1 if a signal ended the process.
    @discardableResult
    static func waitUntilExit(_ process: ChildProcess) -> Int32 {
        let status = process.waitUntilExit()
        running.withLock { running in
            // The ID may be another child's now.
            if running[process.id] === process { running[process.id] = nil }
        }
        return status
    }

    static func stopAll() {
        for child in running.withLock({ Array($0.values) }) { child.terminate() }
    }

    /// Terminates the children when a signal ends this process.
    static func stopOnSignals() { _ = unsafe sources }

    /// Created once and never changed. They are kept because a source that is released handles no signals.
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
