import GatewayCore
private import GatewayLibC

/// The commands of other threads for a ``ServerLoop``.
///
/// Resuming also uses this queue. Why: if libmicrohttpd is told to resume on another thread while its own thread waits
/// for events, it notices this only at the next event.
final class LoopQueue: Sendable {
    struct Work: Sendable {
        /// Connected sockets to serve.
        fileprivate(set) var accepted: [Int32] = []
        /// Suspended requests to continue.
        fileprivate(set) var resumed: [ServerExchange] = []
        /// Whether the loop ends after this work.
        fileprivate(set) var isLast = false
    }

    private let work = Locked(Work())
    private let wakeup: Wakeup

    init() throws(HTTPListener.StartError) { wakeup = try Wakeup() }

    /// A descriptor that is readable when there is work.
    var descriptor: Int32 { wakeup.descriptor }

    /// Adds a connected socket. It is closed if the loop has ended.
    func add(_ descriptor: Int32) {
        let isTaken = work.withLock { work in
            guard !work.isLast else { return false }
            work.accepted.append(descriptor)
            return true
        }
        if isTaken { wakeup.wake() } else { _ = close(descriptor) }
    }

    /// Continues a suspended request.
    func resume(_ exchange: ServerExchange) {
        work.withLock { $0.resumed.append(exchange) }
        wakeup.wake()
    }

    /// Ends the loop after the current work.
    func finish() {
        work.withLock { $0.isLast = true }
        wakeup.wake()
    }

    /// Takes the current work. Called on the loop's thread.
    func take() -> Work {
        wakeup.drain()
        return work.withLock { work in
            defer {
                work.accepted = []
                work.resumed = []
            }
            return work
        }
    }
}
